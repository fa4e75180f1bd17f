// SPDX-License-Identifier: Apache-2.0

extension Queue {
    /// Carries out a new change and makes it undoable. `start`: where `next` continues after a replacement.
    mutating func commit(_ change: QueueChange, start: Int = 0) {
        let before = place
        carryOut(change, start: start)
        undoHistory.record(.init(change: change, placeBefore: before, placeAfter: place))
    }

    mutating func undo() throws(QueueError) -> QueueChange {
        guard let entry = undoHistory.stepBack() else { throw .nothingToUndo }
        let change = entry.change.inverse
        carryOut(change, start: entry.placeBefore)
        return change
    }

    mutating func redo() throws(QueueError) -> QueueChange {
        guard let entry = undoHistory.stepForward() else { throw .nothingToRedo }
        carryOut(entry.change, start: entry.placeAfter)
        return entry.change
    }
}
