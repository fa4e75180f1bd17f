// SPDX-License-Identifier: Apache-2.0

/// Items by id, in pages of consecutive numbers. Ids are assigned in sequence, so a page holds items that were added
/// together. A hundred thousand items cost 8 bytes each, and changing one item of a shared table copies one page.
struct ItemTable: Sendable {
    private static let pageBits: UInt64 = 6

    private struct Page: Sendable {
        var slots = [QueueItem?](repeating: nil, count: 1 << ItemTable.pageBits)
        var count = 0
    }

    private var pages: [UInt64: Page] = [:]
    private(set) var count = 0
    /// The size of all items.
    private(set) var bytes = 0

    subscript(id: ItemID) -> QueueItem? {
        get { pages[id.number >> Self.pageBits]?.slots[Self.slot(id)] }
        set {
            let key = id.number >> Self.pageBits
            let old = self[id]
            if old == nil && newValue == nil { return }
            bytes += (newValue?.bytes ?? 0) - (old?.bytes ?? 0)
            let change = (newValue == nil ? 0 : 1) - (old == nil ? 0 : 1)
            count += change
            pages[key, default: Page()].slots[Self.slot(id)] = newValue
            if change != 0 { pages[key]?.count += change }
            if pages[key]?.count == 0 { pages[key] = nil }
        }
    }

    /// Adds items with new ids; consecutive ids cost one look-up per page.
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

    /// The items of known ids, with one look-up for each run within a page.
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
