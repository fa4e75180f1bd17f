// SPDX-License-Identifier: Apache-2.0

extension Queue {
    /// Applies a checked change and updates the references to items (current item, gap, shuffle).
    mutating func carryOut(_ change: QueueChange, start: Int) {
        switch change {
        case .inserted(let items, let index):
            table.insert(items)
            order.insert(contentsOf: items.lazy.map(\.id), at: index)
            if index < place || (index == place && currentID != nil) { place += items.count }
            round?.join(items.lazy.map(\.id), count: order.count) { [table] in table[$0] != nil }
        case .removed(let entries): remove(entries)
        case .restored(let entries): restore(entries)
        case .moved(let ids, let from, let to):
            order.move(ids, from: from, to: to)
            let moved = from.firstIndex(of: place)
            if let moved, currentID != nil {
                place = to[moved]
            } else {
                shiftPlace(removed: from)
                shiftPlace(inserted: to)
            }
        case .reordered(_, let ids):
            order = ids
            place = currentID.flatMap { ids.scan(for: $0) } ?? 0
        case .replaced(_, let contents): replaceAll(contents, start: start)
        case .updated(_, let item): table[item.id] = item
        }
        heard.forgetOffer()
        revision += 1
    }

    private mutating func remove(_ entries: [(index: Int, item: QueueItem)]) {
        for entry in entries { table[entry.item.id] = nil }
        let indices = entries.map(\.index)
        order.remove(at: indices)
        let currentIsGone = currentID.map { table[$0] == nil } ?? false
        shiftPlace(removed: indices)
        if currentIsGone { currentID = nil }
    }

    private mutating func restore(_ entries: [(index: Int, item: QueueItem)]) {
        for entry in entries { table[entry.item.id] = entry.item }
        let ids = entries.map(\.item.id)
        let indices = entries.map(\.index)
        order.insert(ids, at: indices)
        shiftPlace(inserted: indices)
        round?.join(ids, count: order.count) { [table] in table[$0] != nil }
    }

    private mutating func replaceAll(_ contents: QueueContents, start: Int) {
        order = contents.order
        table = contents.table
        let kept = currentID.flatMap { table[$0] == nil ? nil : order.scan(for: $0) }
        if kept == nil { currentID = nil }
        place = kept ?? min(start, contents.count)
        upNext = UpNext()
        if round != nil { round = ShuffleRound(order, heard: currentID) }
    }

    private mutating func shiftPlace(removed indices: [Int]) {
        // Counts the removed indices below `place`.
        place -= indices.prefix { $0 < place }.count
    }

    private mutating func shiftPlace(inserted indices: [Int]) {
        for index in indices {
            // An item inserted exactly at a gap comes after it.
            guard index < place || (index == place && currentID != nil) else { break }
            place += 1
        }
    }
}

extension [ItemID] {
    mutating func remove(at indices: [Int]) {
        if indices.count == 1 { remove(at: indices[0]) } else { removeSubranges(RangeSet(indices, within: self)) }
    }

    /// `indices`: ascending, in the resulting array.
    mutating func insert(_ ids: [ItemID], at indices: [Int]) {
        if ids.count == 1 {
            insert(ids[0], at: indices[0])
            return
        }
        var result: [ItemID] = []
        result.reserveCapacity(count + ids.count)
        var taken = 0
        for (id, index) in zip(ids, indices) {
            let others = index - result.count
            result.append(contentsOf: self[taken..<(taken + others)])
            taken += others
            result.append(id)
        }
        result.append(contentsOf: self[taken...])
        self = result
    }

    /// A single move, the usual case, shifts only the ids in between: half the time of a removal and an insertion.
    fileprivate mutating func move(_ ids: [ItemID], from: [Int], to: [Int]) {
        guard ids.count == 1 else {
            remove(at: from)
            insert(ids, at: to)
            return
        }
        let (source, target) = (from[0], to[0])
        withUnsafeMutableBufferPointer { buffer in
            guard let base = buffer.baseAddress else { return }
            // The regions may overlap.
            if source < target {
                (base + source).update(from: base + source + 1, count: target - source)
            } else {
                (base + target + 1).update(from: base + target, count: source - target)
            }
            base[target] = ids[0]
        }
    }
}
