// SPDX-License-Identifier: Apache-2.0

import Playback

/// Turns the entries of a request into drafts; folders are read on the media thread.
struct QueueItemExpansion: Sendable {
    let services: Services

    func drafts(
        _ items: [ItemRequest], _ reply: @escaping Reply,
        then use: @escaping @Sendable ([ItemDraft]) throws(Problem) -> Void
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

    private func expand(_ items: [ItemRequest]) throws(Problem) -> [ItemDraft] {
        var drafts: [ItemDraft] = []
        drafts.reserveCapacity(items.count)
        for (index, item) in items.enumerated() {
            switch item {
            case .media(let draft): drafts.append(draft)
            case .folder(let path):
                let rest = Queue.maximumLength - drafts.count
                do throws(MediaError) {
                    drafts += try services.media.media(inFolder: path, limit: rest).map { ItemDraft(uri: $0) }
                } catch {
                    throw Problem(error, member: "items[\(index)].folder")
                }
            }
        }
        return drafts
    }
}
