// SPDX-License-Identifier: Apache-2.0

extension QueueChange {
    /// The change that takes this one back.
    var inverse: QueueChange {
        switch self {
        case .inserted(let items, let index):
            .removed(items.enumerated().map { (index: index + $0.offset, item: $0.element) })
        case .removed(let entries): .restored(entries)
        case .restored(let entries): .removed(entries)
        case .moved(let ids, let from, let to): .moved(ids, from: to, to: from)
        case .reordered(let from, let to): .reordered(from: to, to: from)
        case .replaced(let old, let new): .replaced(old: new, new: old)
        case .updated(let old, let new): .updated(old: new, new: old)
        }
    }

    /// What it keeps: items, whether they are in the queue as well or not, and ids.
    var bytes: Int {
        func bytes(_ items: some Sequence<QueueItem>) -> Int { items.reduce(0) { $0 + $1.bytes } }
        return switch self {
        case .inserted(let items, _): bytes(items)
        case .removed(let entries), .restored(let entries): bytes(entries.lazy.map(\.item))
        case .moved(let ids, _, _): ids.count * 24
        case .reordered(let from, _): from.count * 16
        case .replaced(let old, let new): old.bytes + new.bytes
        case .updated(let old, let new): bytes([old, new])
        }
    }
}
