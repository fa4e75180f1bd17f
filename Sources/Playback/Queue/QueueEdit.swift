// SPDX-License-Identifier: Apache-2.0

/// Counts changes of the queue's content or order; starts at 0, rises by one for every batch that changed something.
public typealias QueueRevision = UInt64

/// One change a client asks for: all or nothing.
public enum QueueEdit: Sendable {
    /// The new items become the whole queue; `next` continues at `startIndex` (default 0), which the player makes
    /// current.
    case replace([ItemDraft], startIndex: Int?)
    /// The new items become the queue, with one that stays between them.
    case surround(ItemID, before: [ItemDraft], after: [ItemDraft])
    case insert([ItemDraft], at: InsertionPoint)
    case update(ItemID, ItemPatch)
    /// Takes the items out (in queue order) and puts them in so that the first has `position` in the resulting queue.
    case move([ItemID], to: Int)
    case remove([ItemID])
    case clear
    /// Reorders the queue itself at random; the current item becomes the first.
    case shuffle
    case undo
    case redo
}

public enum InsertionPoint: Hashable, Sendable {
    case index(Int)
    /// After the current item, and after those that came in by `next` since it became current.
    case next
    /// Directly after the current item, before those that came in by `next`: for what is played at once.
    case now
    case end
}

/// New values for an item; nil leaves a member alone, `.some(nil)` removes it.
public struct ItemPatch: Hashable, Sendable {
    public var title: String??
    public var artist: String??
    public var album: String??
    public var artworkURI: String??
    public var beginTime: Double?
    public var loops: Int?
    var reference: UInt64?

    public init() {}
}

/// Why an edit was refused; nothing has changed then.
public enum QueueError: Error, Hashable, Sendable {
    case unknownItem(ItemID)
    case positionOutOfRange(Int, length: Int)
    case nothingToUndo
    case nothingToRedo
    /// The queue's bound (`Queue.maximumLength`) would be passed.
    case full(maximum: Int)
    /// The items would take more than the queue may, see `ByteBudget.queue`.
    case tooLarge
}

/// The effect of an edit, enough to save it, to notify clients, and to take it back.
public enum QueueChange: Sendable {
    /// `items` now stand at `index...`.
    case inserted([QueueItem], at: Int)
    /// Ascending former indices.
    case removed([(index: Int, item: QueueItem)])
    /// Several items put back at ascending indices of the resulting queue: the inverse of `removed`.
    case restored([(index: Int, item: QueueItem)])
    /// Items in queue order: the nth went from `from[n]` to `to[n]`; both ascend. An edit's `to` is contiguous, an
    /// undone one's `from` is.
    case moved([ItemID], from: [Int], to: [Int])
    /// The same items in another order.
    case reordered(from: [ItemID], to: [ItemID])
    case replaced(old: QueueContents, new: QueueContents)
    case updated(old: QueueItem, new: QueueItem)
}

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
