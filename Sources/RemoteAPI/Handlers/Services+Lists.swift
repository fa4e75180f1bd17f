// SPDX-License-Identifier: Apache-2.0

import HTTP
import Playback

extension Services {
    /// The media of a playlist file or feed. `isGiven`: the client calls it a list, so that it must be one.
    func media(
        ofList locator: MediaLocator, isGiven: Bool, limit: Int, cancellation: MediaCancellation
    ) throws(MediaError) -> QueueItemExpansion.Drafts {
        let content = try media.media(ofList: locator, isGiven: isGiven, limit: limit, cancellation: cancellation)
        return QueueItemExpansion.Drafts(items: content.items, isTruncated: content.isTruncated)
    }

    /// What may wait for a server has a worker of its own, so that nobody waits for it who asks for a file.
    func worker(for items: [ItemRequest]) -> (SupervisedWorker, [JobShare]) {
        let addresses = items.lazy.filter { $0.isNetworkList(media) }.compactMap(\.address)
        return addresses.isEmpty ? (mediaWorker, []) : (listWorker, shares(ofServersOf: addresses))
    }

    /// No server, however slow, takes more than a part of the threads that ask servers.
    func shares(ofServersOf addresses: some Sequence<String>) -> [JobShare] {
        // One request with more servers than threads counts for the first of them.
        Set(addresses.map { media.server(of: $0) }).prefix(16).map { server in
            JobShare(name: "server \(server)", running: RemoteAPI.jobsOfOneServer, waiting: 16)
        }
    }
}

extension ItemRequest {
    /// More than one media may stand behind it, or the disk must be asked.
    func isPlain(_ media: any MediaCatalogue) -> Bool {
        switch self {
        case .uri(let uri): !media.isListName(uri)
        case .media(let draft): !media.isListName(draft.uri)
        case .folder, .list, .playlist, .library: false
        }
    }

    fileprivate var address: String? {
        switch self {
        case .uri(let uri): uri
        case .list(let locator): locator.uri
        case .media(let draft): draft.uri
        case .folder, .playlist, .library: nil
        }
    }

    fileprivate func isNetworkList(_ media: any MediaCatalogue) -> Bool {
        switch self {
        case .list(let locator): media.isNetwork(locator.uri)
        case .uri(let uri): media.isListName(uri) && media.isNetwork(uri)
        case .media(let draft): media.isListName(draft.uri) && media.isNetwork(draft.uri)
        case .folder, .playlist, .library: false
        }
    }
}

extension ItemDraft {
    /// What the client said of a list holds for its one entry.
    func described(by request: ItemDraft) -> ItemDraft {
        var draft = self
        draft.title = request.title ?? title
        draft.artist = request.artist ?? artist
        draft.album = request.album ?? album
        draft.artworkURI = request.artworkURI ?? artworkURI
        draft.beginTime = request.beginTime
        draft.loops = request.loops
        return draft
    }
}
