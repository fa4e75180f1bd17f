// SPDX-License-Identifier: Apache-2.0

/// The changes that can be taken back and done again: changes, not snapshots, bounded in number and in what they keep
/// alive. The newest one stays whatever its size.
struct UndoHistory: Sendable {
    struct Entry: Sendable {
        var change: QueueChange
        /// Where the queue was before and after; used when its whole content changes.
        var placeBefore: Int
        var placeAfter: Int
    }

    static let maximumEntries = 100
    static let maximumWeight = 200_000

    private(set) var undoable: [Entry] = []
    private(set) var redoable: [Entry] = []

    var canUndo: Bool { !undoable.isEmpty }
    var canRedo: Bool { !redoable.isEmpty }

    mutating func record(_ entry: Entry) {
        redoable.removeAll()
        undoable.append(entry)
        var weight = entry.change.weight
        var kept = 1
        for older in undoable.dropLast().reversed() {
            weight += older.change.weight
            guard kept < Self.maximumEntries, weight <= Self.maximumWeight else { break }
            kept += 1
        }
        undoable.removeFirst(undoable.count - kept)
    }

    /// The newest change was taken back; from now on it can be redone.
    mutating func stepBack() {
        if let entry = undoable.popLast() { redoable.append(entry) }
    }

    mutating func stepForward() {
        if let entry = redoable.popLast() { undoable.append(entry) }
    }
}
