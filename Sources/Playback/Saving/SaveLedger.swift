// SPDX-License-Identifier: Apache-2.0

/// The saves that the store was given, and its replies. Saves are numbered and answered in order.
struct SaveLedger {
    /// Saves of only the position that may wait at a slow store. The last one counts.
    static let maximumPositions: UInt64 = 8

    /// The last save that the store has answered.
    var done: UInt64 = 0
    private var issued: UInt64 = 0
    private var owesPosition = false

    /// True if the store should get these changes. Positions would pile up at a hanging disk: one is saved later.
    mutating func admits(_ changes: [SavedChange]) -> Bool {
        let arePositions = changes.allSatisfy { if case .position = $0 { true } else { false } }
        guard arePositions, issued - done >= Self.maximumPositions else { return true }
        owesPosition = true
        return false
    }

    /// Numbers a save that is sent to the store.
    mutating func issue() -> UInt64 {
        issued += 1
        return issued
    }

    /// True once, when the store has caught up and a position must be saved.
    mutating func takeOwedPosition() -> Bool {
        guard owesPosition, done == issued else { return false }
        owesPosition = false
        return true
    }
}
