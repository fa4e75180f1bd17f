// SPDX-License-Identifier: Apache-2.0

import Playback

/// Turns the entries of a request into drafts. Plain media stays as it is; all else is read in the background, where
/// playlists of other servers have a thread of their own.
struct QueueItemExpansion: Sendable {
    let services: Services

    struct Drafts: Sendable {
        var items: [ItemDraft] = []
        /// A folder or something of the library held more than was taken.
        var isTruncated = false
    }

    func drafts(
        _ items: [ItemRequest], for client: APIClient, _ reply: @escaping Reply,
        then use: @escaping @Sendable (Drafts) throws(Problem) -> Void
    ) throws(Problem) {
        guard !items.allSatisfy({ $0.isPlain(services.media) }) else { return try use(try expand(items)) }
        let (worker, shares) = services.worker(for: items)
        try services.openMedia(for: client, on: worker, shares: shares, reply: reply) { cancellation throws(Problem) in
            try expand(items, cancellation)
        } use: { drafts throws(Problem) in
            try use(drafts)
        }
    }

    private func expand(
        _ items: [ItemRequest], _ cancellation: MediaCancellation = MediaCancellation()
    ) throws(Problem) -> Drafts {
        var drafts = Drafts()
        drafts.items.reserveCapacity(items.count)
        for (index, item) in items.enumerated() {
            if cancellation.isCancelled { throw .clientGone }
            let rest = max(0, Queue.maximumLength - drafts.items.count)
            switch item {
            case .uri(let uri) where services.media.isListName(uri):
                let found = try list(
                    MediaLocator(uri: uri), isGiven: false, rest, member: "items[\(index)].uri", cancellation)
                drafts.items += found.items
                if found.isTruncated { drafts.isTruncated = true }
            case .uri(let uri): drafts.items.append(ItemDraft(uri: uri))
            case .media(let draft) where services.media.isListName(draft.uri):
                let locator = MediaLocator(draft)
                let found = try list(locator, isGiven: false, rest, member: "items[\(index)].uri", cancellation)
                drafts.items += found.items.count == 1 ? found.items.map { $0.described(by: draft) } : found.items
                if found.isTruncated { drafts.isTruncated = true }
            case .media(let draft): drafts.items.append(draft)
            case .list(let locator):
                let found = try list(locator, isGiven: true, rest, member: "items[\(index)].list", cancellation)
                drafts.items += found.items
                if found.isTruncated { drafts.isTruncated = true }
            case .folder(let path):
                do throws(MediaError) {
                    let content = try services.media.media(inFolder: path, limit: rest)
                    drafts.items += content.uris.map { ItemDraft(uri: $0) }
                    if content.isTruncated { drafts.isTruncated = true }
                } catch {
                    throw Problem(error, member: "items[\(index)].folder")
                }
            case .playlist(let id): drafts.items += try services.entries(of: id).map(ItemDraft.init)
            case .library(let id):
                let found = try services.media(of: id, limit: rest)
                drafts.items += found.items
                if found.isTruncated { drafts.isTruncated = true }
            }
        }
        return drafts
    }

    private func list(
        _ locator: MediaLocator, isGiven: Bool, _ limit: Int, member: String,
        _ cancellation: MediaCancellation
    ) throws(Problem) -> Drafts {
        do throws(MediaError) {
            return try services.media(ofList: locator, isGiven: isGiven, limit: limit, cancellation: cancellation)
        } catch {
            throw Problem(error, member: member)
        }
    }
}
