// SPDX-License-Identifier: Apache-2.0

import HTTP
import Playback

extension Services {
    /// The media of a playlist file or feed. `isGiven`: the client calls it a list, so that it must be one.
    func media(
        ofList locator: MediaLocator, isGiven: Bool, limit: Int
    ) throws(MediaError) -> QueueItemExpansion.Drafts {
        let content = try media.media(ofList: locator, isGiven: isGiven, limit: limit)
        return QueueItemExpansion.Drafts(items: content.items, isTruncated: content.isTruncated)
    }

    /// What may wait for a server has a worker of its own, so that nobody waits for it who asks for a file.
    func worker(for items: [ItemRequest]) -> SupervisedWorker {
        items.contains { $0.isNetworkList(media) } ? listWorker : mediaWorker
    }
}

extension ItemRequest {
    /// More than one media may stand behind it, or the disk must be asked.
    func isPlain(_ media: any MediaCatalogue) -> Bool {
        if case .media(let draft) = self { !media.isListName(draft.uri) } else { false }
    }

    fileprivate func isNetworkList(_ media: any MediaCatalogue) -> Bool {
        switch self {
        case .list(let locator): media.isNetwork(locator.uri)
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
