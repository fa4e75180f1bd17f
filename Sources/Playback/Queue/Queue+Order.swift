// SPDX-License-Identifier: Apache-2.0

extension Queue {
    public struct Order: Hashable, Sendable {
        public var repeats = PlayerSettings.Repeat.off
        public var shuffle = false
    }

    /// Makes an item current and records it in the history. nil or an unknown id: no item is current.
    public mutating func setCurrent(_ id: ItemID?) {
        guard let id, let index = nearbyIndex(of: id) else {
            currentID = nil
            place = 0
            upNext = UpNext()
            return
        }
        if id == currentID { return }
        currentID = id
        place = index
        heard.record(id)
        upNext.becameCurrent(id, keepsOthers: round != nil)
        round?.becameCurrent(id, order: order) { [table] in table[$0] != nil }
    }

    /// The successor when the current item ends: with repeat one, the same item; nil at the end. Stays the same, also
    /// under shuffle, until an edit or a change of order or current item: the next item is loaded ahead by it.
    public mutating func successor(_ order: Order, using random: inout some RandomNumberGenerator) -> ItemID? {
        adopt(shuffle: order.shuffle)
        if order.repeats == .one, let currentID { return currentID }
        return following(wraps: order.repeats != .off, using: &random)
    }

    /// The target of the user's `next`: like `successor`, but repeat one acts like repeat all.
    public mutating func next(_ order: Order, using random: inout some RandomNumberGenerator) -> ItemID? {
        adopt(shuffle: order.shuffle)
        return following(wraps: order.repeats != .off, using: &random)
    }

    /// The target of the user's `previous`: under shuffle the item that was heard before (history), else the one above.
    /// Repeat all and repeat one wrap around. nil at the start.
    public mutating func previous(_ order: Order) -> ItemID? {
        adopt(shuffle: order.shuffle)
        if order.shuffle { return heard.previous(current: currentID) { [table] in table[$0] != nil } }
        if place > 0 { return self.order[place - 1] }
        return order.repeats == .off ? nil : self.order.last
    }

    private mutating func following(wraps: Bool, using random: inout some RandomNumberGenerator) -> ItemID? {
        guard round != nil else {
            let index = currentID == nil ? place : place + 1
            if index < count { return order[index] }
            return wraps ? order.first : nil
        }
        let isThere: (ItemID) -> Bool = { [table] in table[$0] != nil }
        return upNext.first(where: isThere) ?? heard.following(where: isThere)
            ?? round?.draw(using: &random, where: isThere)
            ?? (wraps ? round?.drawOpener(of: order, after: currentID, using: &random) : nil)
    }

    private mutating func adopt(shuffle: Bool) {
        if shuffle && round == nil {
            round = ShuffleRound(order, heard: currentID)
        } else if !shuffle {
            round = nil
        }
    }

    /// A move to the next item needs no scan.
    private func nearbyIndex(of id: ItemID) -> Int? {
        for index in [place + 1, place] where order.indices.contains(index) && order[index] == id { return index }
        return index(of: id)
    }
}
