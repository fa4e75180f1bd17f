// SPDX-License-Identifier: Apache-2.0

/// One round of shuffled play: every item once. Items are drawn one by one (the Fisher-Yates shuffle, done lazily), so
/// that starting a round shares the queue's own array and a draw costs the same at any length. Items that left the
/// queue, or were heard otherwise, are dropped when they are drawn.
struct ShuffleRound: Sendable {
    private var remaining: [ItemID]
    private var heard: Set<ItemID> = []
    private var drawn: ItemID?
    /// The first item of a new round.
    private var opener: ItemID?

    init(_ order: [ItemID], heard id: ItemID?) {
        remaining = order
        if let id { heard.insert(id) }
    }

    /// How many may be kept in vain, beside as many as the queue has.
    static let slack = 1024

    /// The number of ids it holds.
    var size: Int { remaining.count + heard.count }

    /// `count`: of the queue, with these. What left the queue and came back stands twice until it is drawn, so that what is
    /// no longer wanted is dropped here and there.
    mutating func join(_ ids: some Collection<ItemID>, count: Int, where isThere: (ItemID) -> Bool) {
        if remaining.count + ids.count > 2 * count + Self.slack {
            var seen = Set(ids)
            remaining.removeAll { !isThere($0) || heard.contains($0) || !seen.insert($0).inserted }
        }
        remaining.append(contentsOf: ids)
    }

    /// The next item of this round, the same until it becomes current; nil when all were heard.
    mutating func draw(
        using random: inout some RandomNumberGenerator, where isThere: (ItemID) -> Bool
    ) -> ItemID? {
        if let drawn, isThere(drawn), !heard.contains(drawn) { return drawn }
        drawn = nil
        while !remaining.isEmpty {
            remaining.swapAt(Int.random(in: remaining.indices, using: &random), remaining.count - 1)
            let id = remaining.removeLast()
            if isThere(id) && !heard.contains(id) {
                drawn = id
                return id
            }
        }
        return nil
    }

    /// The first item of a new round: not `last`, unless there is no other.
    mutating func drawOpener(
        of order: [ItemID], after last: ItemID?, using random: inout some RandomNumberGenerator
    ) -> ItemID? {
        if let opener, let index = order.scan(for: opener) { return order[index] }
        opener = order.randomElement(using: &random)
        if opener == last, order.count > 1, let last, let index = order.scan(for: last) {
            let other = Int.random(in: 0..<(order.count - 1), using: &random)
            opener = order[other < index ? other : other + 1]
        }
        return opener
    }

    mutating func becameCurrent(_ id: ItemID, order: [ItemID], where isThere: (ItemID) -> Bool) {
        if id == opener {
            self = ShuffleRound(order, heard: id)
            return
        }
        opener = nil
        // An item that was drawn and passed over is still to be heard.
        if let drawn, drawn != id { remaining.append(drawn) }
        drawn = nil
        heard.insert(id)
        if heard.count > 2 * order.count + Self.slack { heard = heard.filter(isThere) }
    }
}

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

    func lastOfRun(where isThere: (ItemID) -> Bool) -> ItemID? { ids[..<runLength].last(where: isThere) }

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
