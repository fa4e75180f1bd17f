// SPDX-License-Identifier: Apache-2.0

/// The kinds of events that a client can choose. `hello`, `snapshot`, `resync` and `reply` always come.
enum EventName: String, CaseIterable, Sendable {
    /// Not recorded: only the latest one counts. All others have a `seq` and can be replayed.
    case time, buffer, library, cache, session
    /// Likewise, and only for clients that name them, as they are measured on demand.
    case levels, spectrum
    case recordLevel = "record-level"
    case status, item, completed
    case queueEnded = "queue-ended"
    case queueLow = "queue-low"
    case queue, settings, effects, output, route, interruption, error, recording, announcement, timers, renders
    /// Another player was added, removed or renamed.
    case players

    /// A `time` measured before one of these is out of date.
    var endsEarlierTime: Bool {
        switch self {
        case .status, .item, .completed, .queueEnded: true
        default: false
        }
    }

    var bit: UInt32 { 1 << Self.allCases.firstIndex(of: self)! }
}

/// A set of event kinds in four bytes, as there is one for each client.
struct EventSelection: Hashable, Sendable {
    private(set) var bits: UInt32

    /// Measured at the playhead.
    static let measured = EventSelection([.levels, .spectrum])
    /// The default selection.
    static let usual = EventSelection(EventName.allCases).subtracting(measured)

    init(_ names: [EventName]) {
        bits = names.reduce(0) { $0 | $1.bit }
    }

    func subtracting(_ other: EventSelection) -> EventSelection {
        var rest = self
        rest.bits &= ~other.bits
        return rest
    }

    func overlaps(_ other: EventSelection) -> Bool { bits & other.bits != 0 }
    func contains(_ name: EventName) -> Bool { bits & name.bit != 0 }

    var names: [EventName] { EventName.allCases.filter(contains) }
}
