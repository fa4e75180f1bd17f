// SPDX-License-Identifier: Apache-2.0

import Playback

/// Turns the entries of a request into drafts; all but plain media is read on the media
/// thread.
struct QueueItemExpansion: Sendable {
    let services: Services

    func drafts(
        _ items: [ItemRequest], _ reply: @escaping Reply,
        then use: @escaping @Sendable ([ItemDraft]) throws(Problem) -> Void
    ) throws(Problem) {
        let isPlain = items.allSatisfy { if case .media = $0 { true } else { false } }
        guard !isPlain else { return try use(try expand(items)) }
        try services.openMedia(reply: reply) { () throws(Problem) in try use(try expand(items)) }
    }

    private func expand(_ items: [ItemRequest]) throws(Problem) -> [ItemDraft] {
        var drafts: [ItemDraft] = []
        drafts.reserveCapacity(items.count)
        for (index, item) in items.enumerated() {
            let rest = Queue.maximumLength - drafts.count
            switch item {
            case .media(let draft): drafts.append(draft)
            case .folder(let path):
                do throws(MediaError) {
                    drafts += try services.media.media(inFolder: path, limit: rest).map { ItemDraft(uri: $0) }
                } catch {
                    throw Problem(error, member: "items[\(index)].folder")
                }
            case .playlist(let id): drafts += try services.entries(of: id).map(ItemDraft.init)
            case .library(let id): drafts += try services.media(of: id, limit: rest)
            }
        }
        return drafts
    }
}
