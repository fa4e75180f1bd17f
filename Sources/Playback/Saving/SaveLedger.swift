// SPDX-License-Identifier: Apache-2.0

/// The saves at the store, and its answers. Saves are numbered and answered in order.
struct SaveLedger {
    /// Saves of the place alone that may wait for a slow store: of such, only the last counts.
    static let placesUnderWay: UInt64 = 8

    enum Turn {
        case trouble
        case recovered
        case unchanged
    }

    private(set) var done: UInt64 = 0
    private var issued: UInt64 = 0
    private var isInTrouble = false
    private var owesPlace = false

    /// Whether these must go to the store. A place each second would pile up before a disk that hangs: it is owed instead.
    mutating func admits(_ changes: [SavedChange]) -> Bool {
        let arePlaces = changes.allSatisfy { if case .position = $0 { true } else { false } }
        guard arePlaces, issued - done >= Self.placesUnderWay else { return true }
        owesPlace = true
        return false
    }

    /// The number of a save that is given to the store.
    mutating func issue() -> UInt64 {
        issued += 1
        return issued
    }

    /// The store's answer: whether saving begins to fail, or works again.
    mutating func settle(_ number: UInt64, failed: Bool) -> Turn {
        done = number
        defer { isInTrouble = failed }
        return failed ? .trouble : isInTrouble ? .recovered : .unchanged
    }

    /// True once when the store has caught up and the place is to be saved.
    mutating func takeOwedPlace() -> Bool {
        guard owesPlace, done == issued else { return false }
        owesPlace = false
        return true
    }
}
