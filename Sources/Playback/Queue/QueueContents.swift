// SPDX-License-Identifier: Apache-2.0

/// All items of a queue in their order, as a value that shares its storage: a hundred thousand items are put aside for
/// undo, and for the store, without touching one of them.
public struct QueueContents: RandomAccessCollection, Sendable {
    let order: [ItemID]
    let table: ItemTable

    /// Nothing.
    public init() {
        order = []
        table = ItemTable()
    }

    init(order: [ItemID], table: ItemTable) {
        self.order = order
        self.table = table
    }

    /// No two may have the same id.
    init(_ items: [QueueItem]) {
        var table = ItemTable()
        table.insert(items)
        self.init(order: items.map(\.id), table: table)
    }

    /// As `ItemDraft.bytes`, of all items.
    var bytes: Int { table.bytes }

    public var startIndex: Int { 0 }
    public var endIndex: Int { order.count }
    public subscript(index: Int) -> QueueItem {
        guard let item = table[order[index]] else { preconditionFailure("no item for \(order[index])") }
        return item
    }
}
