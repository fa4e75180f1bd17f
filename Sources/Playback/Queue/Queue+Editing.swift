// SPDX-License-Identifier: Apache-2.0

internal import Kernel

extension Queue {
    /// Checks an edit and returns its change, to be saved before `commit`; nil if it changes nothing (an empty insert, a
    /// move to the same place). Assigns new ids. The next edit must wait for `commit`; the current item may change.
    mutating func propose(_ edit: QueueEdit, using random: inout some RandomNumberGenerator) throws(PlaybackError)
        -> Proposal?
    {
        switch edit {
        case .undo: return try undoing()
        case .redo: return try redoing()
        case .insert(let drafts, .next):
            return try insertion(of: drafts, at: nextInsertionIndex).map { Proposal(change: $0, step: .newUpNext) }
        case .insert(let drafts, .now):
            return try insertion(of: drafts, at: afterCurrent).map { Proposal(change: $0, step: .newNow) }
        case .replace(_, let index):
            return try change(for: edit, using: &random).map { Proposal(change: $0, start: index ?? 0) }
        default: return try change(for: edit, using: &random).map { Proposal(change: $0) }
        }
    }

    private mutating func change(
        for edit: QueueEdit, using random: inout some RandomNumberGenerator
    ) throws(PlaybackError) -> QueueChange? {
        switch edit {
        case .replace(let drafts, let start):
            try check(position: start ?? 0, in: 0...max(0, drafts.count - 1), length: drafts.count)
            guard drafts.count <= Self.maximumLength else { throw .queueFull }
            if drafts.isEmpty && order.isEmpty { return nil }
            try checkRoom(for: drafts, besides: 0)
            return .replaced(old: contents, new: QueueContents(makeItems(drafts)))
        case .surround(let id, let before, let after):
            guard let kept = table[id] else { throw .unknownItem(id) }
            guard before.count + after.count < Self.maximumLength else { throw .queueFull }
            if count == 1, before.isEmpty, after.isEmpty { return nil }
            try checkRoom(for: before + after, besides: kept.bytes)
            return .replaced(old: contents, new: QueueContents(makeItems(before) + [kept] + makeItems(after)))
        case .insert(let drafts, let point):
            if case .index(let index) = point { return try insertion(of: drafts, at: index) }
            return try insertion(of: drafts, at: count)
        case .update(let id, let patch): return try update(of: id, patch)
        case .move(let ids, let position): return try move(of: ids, to: position)
        case .remove(let ids):
            let indices = try indices(of: ids)
            return indices.isEmpty ? nil : .removed(indices.map { (index: $0, item: self[$0]) })
        case .clear: return order.isEmpty ? nil : .replaced(old: contents, new: QueueContents())
        case .shuffle:
            var shuffled = order
            shuffled.shuffle(using: &random)
            if let currentID, let index = shuffled.scan(for: currentID) { shuffled.swapAt(0, index) }
            return shuffled == order ? nil : .reordered(from: order, to: shuffled)
        case .undo, .redo: return nil
        }
    }

    private mutating func insertion(of drafts: [ItemDraft], at index: Int) throws(PlaybackError) -> QueueChange? {
        try check(position: index, in: 0...count, length: count)
        guard drafts.count <= Self.maximumLength - count else { throw .queueFull }
        guard !drafts.isEmpty else { return nil }
        try checkRoom(for: drafts, besides: table.bytes)
        return .inserted(makeItems(drafts), at: index)
    }

    private func update(of id: ItemID, _ patch: ItemPatch) throws(PlaybackError) -> QueueChange? {
        guard let old = table[id] else { throw .unknownItem(id) }
        var draft = old.draft
        if let title = patch.title { draft.title = title }
        if let artist = patch.artist { draft.artist = artist }
        if let album = patch.album { draft.album = album }
        if let artworkURI = patch.artworkURI { draft.artworkURI = artworkURI }
        if let beginTime = patch.beginTime { draft.beginTime = beginTime }
        if let loops = patch.loops { draft.loops = loops }
        if let reference = patch.reference { draft.reference = reference }
        guard draft != old.draft else { return nil }
        try checkRoom(for: [draft], besides: table.bytes - old.bytes)
        return .updated(old: old, new: QueueItem(id: id, draft: draft))
    }

    private func move(of ids: [ItemID], to position: Int) throws(PlaybackError) -> QueueChange? {
        let from = try indices(of: ids)
        try check(position: position, in: 0...(count - from.count), length: count)
        let to = Array(position..<(position + from.count))
        return from == to ? nil : .moved(from.map { order[$0] }, from: from, to: to)
    }

    /// Ascending, without duplicates.
    private func indices(of ids: [ItemID]) throws(PlaybackError) -> [Int] {
        for id in ids where table[id] == nil { throw .unknownItem(id) }
        if ids.count <= 4 { return Set(ids.compactMap { index(of: $0) }).sorted() }
        let wanted = Set(ids)
        return order.indices.filter { wanted.contains(order[$0]) }
    }

    private func check(position: Int, in range: ClosedRange<Int>, length: Int) throws(PlaybackError) {
        guard range.contains(position) else { throw .positionOutOfRange(position, length: length) }
    }

    private func checkRoom(for drafts: [ItemDraft], besides others: Int) throws(PlaybackError) {
        var budget = ByteBudget(limit: byteLimit)
        guard budget.take(drafts.indices.reduce(others) { $0 + drafts[$1].bytes }) else { throw .itemsTooLarge }
    }

    private mutating func makeItems(_ drafts: [ItemDraft]) -> [QueueItem] {
        drafts.map { draft in
            defer { nextItemNumber += 1 }
            return QueueItem(id: ItemID(number: nextItemNumber), draft: draft)
        }
    }

    private var nextInsertionIndex: Int {
        if let last = upNext.lastOfRun(where: { table[$0] != nil }), let index = index(of: last), index >= place {
            return index + 1
        }
        return afterCurrent
    }

    private var afterCurrent: Int { currentID == nil ? place : place + 1 }
}
