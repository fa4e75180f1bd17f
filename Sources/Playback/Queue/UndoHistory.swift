// SPDX-License-Identifier: Apache-2.0

internal import Kernel

/// The changes that can be undone and redone: changes, not snapshots, limited in number and bytes. The newest one stays
/// whatever its size, unless the byte limit is 0: its items are or were in the queue.
struct UndoHistory: Sendable {
    struct Entry: Sendable {
        var change: QueueChange
        /// `Queue.place` before and after; used if the whole content changes.
        var placeBefore: Int
        var placeAfter: Int
        let bytes: Int

        init(change: QueueChange, placeBefore: Int, placeAfter: Int) {
            self.change = change
            self.placeBefore = placeBefore
            self.placeAfter = placeAfter
            bytes = change.bytes
        }
    }

    static let maximumEntries = 100
    var byteLimit = ByteBudget.undo.limit

    private(set) var undoable: [Entry] = []
    private(set) var redoable: [Entry] = []

    var canUndo: Bool { !undoable.isEmpty }
    var canRedo: Bool { !redoable.isEmpty }

    mutating func record(_ entry: Entry) {
        redoable.removeAll()
        undoable.append(entry)
        var budget = ByteBudget(limit: byteLimit)
        var isFull = !budget.take(entry.bytes)
        var kept = byteLimit > 0 ? 1 : 0
        for older in undoable.dropLast().reversed() {
            isFull = isFull || !budget.take(older.bytes)
            guard kept < Self.maximumEntries, !isFull else { break }
            kept += 1
        }
        undoable.removeFirst(undoable.count - kept)
    }

    /// The size of all entries.
    var bytes: Int { undoable.lazy.map(\.bytes).reduce(0, +) + redoable.lazy.map(\.bytes).reduce(0, +) }

    /// The newest change was undone and can be redone.
    mutating func stepBack() {
        if let entry = undoable.popLast() { redoable.append(entry) }
    }

    mutating func stepForward() {
        if let entry = redoable.popLast() { undoable.append(entry) }
    }
}

extension Queue {
    /// A checked edit that is not applied yet.
    struct Proposal: Sendable {
        enum Step: Sendable { case new, newUpNext, newNow, back, forward }

        var change: QueueChange
        /// The place at which `next` continues if the whole content changes.
        var start = 0
        var step = Step.new
    }

    /// Applies a proposal and makes it undoable. The current item stays, except that `replace`, `clear` and its removal
    /// set `currentID` to nil and keep `place`, so that `next` continues after the gap.
    mutating func commit(_ proposal: Proposal) {
        let before = place
        carryOut(proposal.change, start: proposal.start)
        switch proposal.step {
        case .new, .newUpNext, .newNow:
            undoHistory.record(.init(change: proposal.change, placeBefore: before, placeAfter: place))
            guard proposal.step != .new, case .inserted(let items, _) = proposal.change else { return }
            upNext.insert(items.map(\.id), first: proposal.step == .newNow, count: order.count) { [table] in
                table[$0] != nil
            }
        case .back: undoHistory.stepBack()
        case .forward: undoHistory.stepForward()
        }
    }

    func undoing() throws(PlaybackError) -> Proposal {
        guard let entry = undoHistory.undoable.last else { throw .nothingToUndo }
        return Proposal(change: entry.change.inverse, start: entry.placeBefore, step: .back)
    }

    func redoing() throws(PlaybackError) -> Proposal {
        guard let entry = undoHistory.redoable.last else { throw .nothingToRedo }
        return Proposal(change: entry.change, start: entry.placeAfter, step: .forward)
    }
}
