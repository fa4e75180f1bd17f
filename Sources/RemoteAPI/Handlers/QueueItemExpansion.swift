// SPDX-License-Identifier: Apache-2.0

import Playback

/// Turns the entries of a request into drafts; folders are read on the media thread.
struct QueueItemExpansion: Sendable {
    let services: Services

    struct Drafts: Sendable {
        var items: [ItemDraft] = []
        /// A folder held more than was taken.
        var isTruncated = false
    }

    func drafts(
        _ items: [ItemRequest], _ reply: @escaping Reply,
        then use: @escaping @Sendable (Drafts) throws(Problem) -> Void
    ) throws(Problem) {
        let hasFolder = items.contains { if case .folder = $0 { true } else { false } }
        guard hasFolder else { return try use(try expand(items)) }
        try services.openMedia(reply: reply) { () throws(Problem) in
            try expand(items)
        } use: {
            drafts throws(Problem) in
            try use(drafts)
        }
    }

    private func expand(_ items: [ItemRequest]) throws(Problem) -> Drafts {
        var drafts = Drafts()
        drafts.items.reserveCapacity(items.count)
        for (index, item) in items.enumerated() {
            switch item {
            case .media(let draft): drafts.items.append(draft)
            case .folder(let path):
                let rest = Queue.maximumLength - drafts.items.count
                do throws(MediaError) {
                    let content = try services.media.media(inFolder: path, limit: rest)
                    drafts.items += content.uris.map { ItemDraft(uri: $0) }
                    if content.isTruncated { drafts.isTruncated = true }
                } catch {
                    throw Problem(error, member: "items[\(index)].folder")
                }
            }
        }
        return drafts
    }
}
