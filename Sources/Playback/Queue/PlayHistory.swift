// SPDX-License-Identifier: Apache-2.0

/// The items that were current, with a cursor. Going back keeps the later items, so that going forward repeats them.
struct PlayHistory: Sendable {
    static let limit = 100_000

    private var ids: [ItemID] = []
    private var cursor = -1
    /// The index that `previous` last returned; becomes the cursor when that item becomes current.
    private var offer: Int?

    mutating func record(_ id: ItemID) {
        defer { offer = nil }
        if let offer, ids[offer] == id {
            cursor = offer
        } else if cursor + 1 < ids.count, ids[cursor + 1] == id {
            cursor += 1
        } else {
            ids.removeLast(ids.count - cursor - 1)
            // Trimmed rarely, because it moves the rest.
            if ids.count >= 2 * Self.limit { ids.removeFirst(Self.limit) }
            ids.append(id)
            cursor = ids.count - 1
        }
    }

    /// The nearest earlier item that passes; starts at the cursor itself if nothing is current.
    mutating func previous(current: ItemID?, where isThere: (ItemID) -> Bool) -> ItemID? {
        var index = current == nil ? cursor : cursor - 1
        while index >= 0 {
            if ids[index] != current && isThere(ids[index]) {
                offer = index
                return ids[index]
            }
            index -= 1
        }
        return nil
    }

    /// The item that followed the current one before the user went back. Entries that do not pass are dropped.
    mutating func following(where isThere: (ItemID) -> Bool) -> ItemID? {
        while cursor + 1 < ids.count {
            if isThere(ids[cursor + 1]) { return ids[cursor + 1] }
            ids.remove(at: cursor + 1)
        }
        return nil
    }

    mutating func forgetOffer() { offer = nil }
}
