// SPDX-License-Identifier: Apache-2.0

/// Items by id, in pages of neighbouring numbers: ids are given in sequence, so that a page holds items that came
/// together, a hundred thousand items cost 8 bytes each, and a change of one item in a shared table copies one page.
struct ItemTable: Sendable {
    private static let pageBits: UInt64 = 6

    private struct Page: Sendable {
        var slots = [QueueItem?](repeating: nil, count: 1 << ItemTable.pageBits)
        var count = 0
    }

    private var pages: [UInt64: Page] = [:]
    private(set) var count = 0
    /// Of all items.
    private(set) var bytes = 0

    subscript(id: ItemID) -> QueueItem? {
        get { pages[id.number >> Self.pageBits]?.slots[Self.slot(id)] }
        set { updateValue(newValue, forKey: id) }
    }

    /// Returns the former value.
    @discardableResult
    mutating func updateValue(_ new: QueueItem?, forKey id: ItemID) -> QueueItem? {
        let key = id.number >> Self.pageBits
        let slot = Self.slot(id)
        let old = pages[key]?.slots[slot]
        if old == nil && new == nil { return nil }
        bytes += (new?.bytes ?? 0) - (old?.bytes ?? 0)
        let change = (new == nil ? 0 : 1) - (old == nil ? 0 : 1)
        count += change
        if new == nil && pages[key]?.count == 1 {
            pages[key] = nil
            return old
        }
        pages[key, default: Page()].slots[slot] = new
        if change != 0 { pages[key, default: Page()].count += change }
        return old
    }

    /// Adds items whose ids are not here yet; a run of neighbouring ids costs one look-up a page.
    mutating func insert(_ items: [QueueItem]) {
        var start = 0
        while start < items.count {
            let key = items[start].id.number >> Self.pageBits
            var page = pages.removeValue(forKey: key) ?? Page()
            while start < items.count, items[start].id.number >> Self.pageBits == key {
                page.slots[Self.slot(items[start].id)] = items[start]
                page.count += 1
                count += 1
                bytes += items[start].bytes
                start += 1
            }
            pages[key] = page
        }
    }

    /// The items of ids that are here, one look-up for each run within a page.
    func items(of ids: some Collection<ItemID>) -> [QueueItem] {
        var key: UInt64?
        var slots: [QueueItem?] = []
        return ids.map { id in
            if id.number >> Self.pageBits != key {
                key = id.number >> Self.pageBits
                slots = pages[id.number >> Self.pageBits]?.slots ?? Page().slots
            }
            guard let item = slots[Self.slot(id)] else { preconditionFailure("no item for \(id)") }
            return item
        }
    }

    private static func slot(_ id: ItemID) -> Int { Int(id.number & (1 << pageBits - 1)) }
}
