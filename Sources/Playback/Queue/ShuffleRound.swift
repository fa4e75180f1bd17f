// SPDX-License-Identifier: Apache-2.0

/// A round of shuffled play: every item once. Items are drawn one by one (a lazy Fisher-Yates shuffle), so that a new
/// round shares the queue's array and a draw costs the same at any length. Items that left the queue, or were heard
/// otherwise, are dropped when they are drawn.
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

    /// The number of obsolete ids that may be kept, besides as many as the queue has.
    static let slack = 1024

    /// The number of ids that are kept.
    var size: Int { remaining.count + heard.count }

    /// `count`: the length of the queue with these items. An item that left the queue and returned is in the list twice
    /// until it is drawn, so obsolete ids are removed now and then.
    mutating func join(_ ids: some Collection<ItemID>, count: Int, where isThere: (ItemID) -> Bool) {
        if remaining.count + ids.count > 2 * count + Self.slack {
            var seen = Set(ids)
            remaining.removeAll { !isThere($0) || heard.contains($0) || !seen.insert($0).inserted }
        }
        remaining.append(contentsOf: ids)
    }

    /// The next item of this round, the same one until it becomes current; nil when all were heard.
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

    /// The first item of a new round; not `last` unless it is the only item.
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
        // An item that was drawn but not played stays in the round.
        if let drawn, drawn != id { remaining.append(drawn) }
        drawn = nil
        heard.insert(id)
        if heard.count > 2 * order.count + Self.slack { heard = heard.filter(isThere) }
    }
}

/// The items that were inserted as next, in order; they come first under shuffle, too.
struct UpNext: Sendable {
    private var ids: [ItemID] = []
    /// The number of items at the front that were inserted since the current item became current; new ones go after them.
    private var runLength = 0

    /// The number of ids that are kept.
    var size: Int { ids.count }

    /// `first`: before the others. `count`: the length of the queue with these items. Items that left the queue are kept
    /// within limits, because undo may restore them.
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

    /// `keepsOthers`: the other items stay, whichever item became current (shuffle).
    mutating func becameCurrent(_ id: ItemID, keepsOthers: Bool) {
        runLength = 0
        if let index = ids.scan(for: id) {
            ids.remove(at: index)
        } else if !keepsOthers {
            ids.removeAll()
        }
    }
}
