// SPDX-License-Identifier: Apache-2.0

/// All items of a queue in order. Shares the queue's storage, so that undo and store can keep a long queue.
public struct QueueContents: RandomAccessCollection, Sendable {
    let order: [ItemID]
    let table: ItemTable

    public init() {
        order = []
        table = ItemTable()
    }

    init(order: [ItemID], table: ItemTable) {
        self.order = order
        self.table = table
    }

    /// The ids must be unique.
    init(_ items: [QueueItem]) {
        var table = ItemTable()
        table.insert(items)
        self.init(order: items.map(\.id), table: table)
    }

    /// `ItemDraft.bytes` of all items.
    var bytes: Int { table.bytes }

    public var startIndex: Int { 0 }
    public var endIndex: Int { order.count }
    public subscript(index: Int) -> QueueItem {
        guard let item = table[order[index]] else { preconditionFailure("no item for \(order[index])") }
        return item
    }
}
