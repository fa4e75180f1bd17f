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

    /// How many items or ids it holds.
    var weight: Int {
        switch self {
        case .inserted(let items, _): items.count
        case .removed(let entries), .restored(let entries): entries.count
        case .moved(let ids, _, _): ids.count
        case .reordered(let from, _): from.count
        case .replaced(let old, let new): old.count + new.count
        case .updated: 2
        }
    }
}
