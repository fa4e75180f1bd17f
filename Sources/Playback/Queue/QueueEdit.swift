// SPDX-License-Identifier: Apache-2.0

internal import Kernel

/// Counts changes of the queue's content or order: starts at 0 and increases by one for each edit that changed something.
public typealias QueueRevision = UInt64

/// A requested change; it succeeds or fails as a whole.
public enum QueueEdit: Sendable {
    /// The new items replace the queue; `next` continues at `startIndex` (default 0), which the player makes current.
    case replace([ItemDraft], startIndex: Int?)
    /// Replaces the queue except for one item, between new ones.
    case surround(ItemID, before: [ItemDraft], after: [ItemDraft])
    case insert([ItemDraft], at: InsertionPoint)
    case update(ItemID, ItemPatch)
    /// Moves the items, in queue order, so that the first one has `position` in the resulting queue.
    case move([ItemID], to: Int)
    case remove([ItemID])
    case clear
    /// Shuffles the queue itself; the current item becomes the first.
    case shuffle
    case undo
    case redo
}

public enum InsertionPoint: Hashable, Sendable {
    case index(Int)
    /// After the current item, and after the items that were inserted by `next` since it became current.
    case next
    /// Directly after the current item, before items that were inserted by `next`: for immediate playback.
    case now
    case end
}

/// New values of an item; nil keeps a member, `.some(nil)` removes it.
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

/// The failures of an edit, which has changed nothing.
extension PlaybackError {
    static let nothingToUndo = PlaybackError(.nothingToUndo, "There is no edit to undo.")
    static let nothingToRedo = PlaybackError(.nothingToRedo, "There is no edit to redo.")
    static let queueFull = PlaybackError(.queueFull, "The queue holds at most \(Queue.maximumLength) items.")
    static let itemsTooLarge = PlaybackError(
        .queueFull, "The items of all players' queues take at most \(ByteBudget.queue.megabytes) MB.")

    static func unknownItem(_ id: ItemID) -> PlaybackError {
        PlaybackError(.unknownItem, "No item \(id) is in the queue.", itemID: id)
    }

    static func positionOutOfRange(_ position: Int, length: Int) -> PlaybackError {
        PlaybackError(
            .outOfRange, "There is no position \(position) in a queue of \(length) items.", member: "position")
    }
}

/// The effect of an edit, sufficient to save it, to notify clients and to undo it.
public enum QueueChange: Sendable {
    /// The items are now at `index...`.
    case inserted([QueueItem], at: Int)
    /// With their former indices, ascending.
    case removed([(index: Int, item: QueueItem)])
    /// The items are back at ascending indices of the resulting queue: the inverse of `removed`.
    case restored([(index: Int, item: QueueItem)])
    /// The nth item moved from `from[n]` to `to[n]`. Both ascend; `to` of an edit and `from` of its undo are contiguous.
    case moved([ItemID], from: [Int], to: [Int])
    case reordered(from: [ItemID], to: [ItemID])
    case replaced(old: QueueContents, new: QueueContents)
    case updated(old: QueueItem, new: QueueItem)
}

extension QueueChange {
    /// The change that undoes this one.
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

    /// The size of its items and ids, whether they are in the queue as well or not.
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
