// SPDX-License-Identifier: Apache-2.0

/// The items that were inserted to be heard next, in that order; they come first under shuffle too.
struct UpNext: Sendable {
    private var ids: [ItemID] = []
    /// How many at the front came since the current item became current: the next ones go behind them.
    private var runLength = 0

    /// The number of ids it holds.
    var size: Int { ids.count }

    /// `first`: before the others. `count`: of the queue, with these. Those that left the queue are kept, as undo may bring
    /// them back, but not without end.
    mutating func insert(_ new: [ItemID], first: Bool, count: Int, where isThere: (ItemID) -> Bool) {
        if ids.count + new.count > 2 * count + ShuffleRound.slack {
            runLength = ids[..<runLength].count(where: isThere)
            ids.removeAll { !isThere($0) }
        }
        ids.insert(contentsOf: new, at: first ? 0 : runLength)
        runLength += new.count
    }

    func lastOfRun(where isThere: (ItemID) -> Bool) -> ItemID? {
        ids[..<runLength].last(where: isThere)
    }

    func first(where isThere: (ItemID) -> Bool) -> ItemID? {
        guard let index = ids.firstIndex(where: isThere) else { return nil }
        return ids[index]
    }

    /// `keepsOthers`: the others are still to be heard, wherever the user went (shuffle).
    mutating func becameCurrent(_ id: ItemID, keepsOthers: Bool) {
        runLength = 0
        if let index = ids.scan(for: id) {
            ids.remove(at: index)
        } else if !keepsOthers {
            ids.removeAll()
        }
    }
}
