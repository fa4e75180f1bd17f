// SPDX-License-Identifier: Apache-2.0

extension Queue {
    /// An edit that was checked and is not in force yet.
    struct Proposal: Sendable {
        enum Step: Sendable { case new, newUpNext, newNow, back, forward }

        var change: QueueChange
        /// Where `next` continues when the whole content changes.
        var start = 0
        var step = Step.new
    }

    /// Brings a proposal into force, and makes it undoable.
    mutating func commit(_ proposal: Proposal) {
        let before = place
        carryOut(proposal.change, start: proposal.start)
        switch proposal.step {
        case .new: undoHistory.record(.init(change: proposal.change, placeBefore: before, placeAfter: place))
        case .newUpNext, .newNow:
            undoHistory.record(.init(change: proposal.change, placeBefore: before, placeAfter: place))
            guard case .inserted(let items, _) = proposal.change else { return }
            upNext.insert(items.map(\.id), first: proposal.step == .newNow, count: order.count) { [table] in
                table[$0] != nil
            }
        case .back: undoHistory.stepBack()
        case .forward: undoHistory.stepForward()
        }
    }

    func undoing() throws(QueueError) -> Proposal {
        guard let entry = undoHistory.undoable.last else { throw .nothingToUndo }
        return Proposal(change: entry.change.inverse, start: entry.placeBefore, step: .back)
    }

    func redoing() throws(QueueError) -> Proposal {
        guard let entry = undoHistory.redoable.last else { throw .nothingToRedo }
        return Proposal(change: entry.change, start: entry.placeAfter, step: .forward)
    }
}
