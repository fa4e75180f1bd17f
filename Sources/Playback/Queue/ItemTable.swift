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

    private static func slot(_ id: ItemID) -> Int { Int(id.number & (1 << pageBits - 1)) }
}
