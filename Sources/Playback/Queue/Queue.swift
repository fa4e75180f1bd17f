// SPDX-License-Identifier: Apache-2.0

internal import Kernel

/// The play queue: items with stable ids, the current item, and the order under repeat and shuffle. A value without
/// clock, thread or I/O; the caller passes the random generator.
///
/// The order holds only ids, so that a move shifts plain integers and a search scans contiguous memory.
public struct Queue: Sendable {
    public static let maximumLength = 1_000_000

    public internal(set) var revision: QueueRevision = 0
    public internal(set) var currentID: ItemID?
    /// The number of the next new item.
    public internal(set) var nextItemNumber: UInt64 = 1

    var order: [ItemID] = []
    var table = ItemTable()
    /// The index of the current item; without one, the index at which `next` continues (0...count).
    var place = 0
    var undoHistory = UndoHistory()
    /// The limit of the items' size in bytes.
    var byteLimit = ByteBudget.queue.limit
    var heard = PlayHistory()
    var upNext = UpNext()
    /// nil while shuffle is off.
    var round: ShuffleRound?

    public init() {}

    /// Restores a saved queue, without history. Of items with the same id, only the first one counts.
    public init(items: [QueueItem], revision: QueueRevision, nextItemNumber: UInt64, currentID: ItemID?) {
        self.revision = revision
        var greatest: UInt64 = 0
        order.reserveCapacity(items.count)
        for item in items where table[item.id] == nil {
            table[item.id] = item
            order.append(item.id)
            greatest = max(greatest, item.id.number)
        }
        self.nextItemNumber = max(nextItemNumber, greatest + 1)
        if let currentID { setCurrent(currentID) }
    }

    // MARK: Reading

    public var count: Int { order.count }
    public var canUndo: Bool { undoHistory.canUndo }
    public var canRedo: Bool { undoHistory.canRedo }
    public var current: QueueItem? { currentID.flatMap { table[$0] } }
    public var currentIndex: Int? { currentID == nil ? nil : place }
    public subscript(index: Int) -> QueueItem { contents[index] }
    public func item(_ id: ItemID) -> QueueItem? { table[id] }

    /// O(n): some tens of microseconds at 100,000 items.
    public func index(of id: ItemID) -> Int? {
        if currentID == id { return place }
        return table[id] == nil ? nil : order.scan(for: id)
    }

    /// Clamped to the queue.
    public func window(offset: Int, limit: Int) -> QueueWindow {
        let start = min(max(0, offset), count)
        let end = start + min(max(0, limit), count - start)
        return QueueWindow(
            revision: revision, length: count, currentIndex: currentIndex, offset: start,
            items: table.items(of: order[start..<end]))
    }

    var contents: QueueContents { QueueContents(order: order, table: table) }
}

extension [ItemID] {
    /// Like `firstIndex(of:)`, in blocks without an early exit, which the compiler vectorises.
    func scan(for id: ItemID) -> Int? {
        withUnsafeBufferPointer { ids in
            let block = 32
            let number = id.number
            var start = 0
            while start + block <= ids.count {
                var differences = true
                for offset in 0..<block { differences = differences && (ids[start + offset].number != number) }
                if !differences { break }
                start += block
            }
            while start < ids.count {
                if ids[start].number == number { return start }
                start += 1
            }
            return nil
        }
    }
}
