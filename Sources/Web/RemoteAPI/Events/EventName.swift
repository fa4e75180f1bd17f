// SPDX-License-Identifier: Apache-2.0

/// The kinds of events that a client can choose. `hello`, `snapshot`, `resync` and `reply` always come.
enum EventName: String, CaseIterable, Sendable {
    /// Not recorded, as only the latest one counts. Apart from the next two lines, all others have a `seq` and can be replayed.
    case time, buffer, library, cache
    /// Not recorded either. Sent only to clients that name them, as they are measured on demand.
    case levels, spectrum
    case recordLevel = "record-level"
    case status, item, completed
    case queueEnded = "queue-ended"
    case queueLow = "queue-low"
    case queue, settings, effects, output, route, session, interruption, error, recording, announcement, timers, renders
    /// Another player was added, removed or renamed.
    case players

    /// A `time` measured before one of these is out of date.
    var endsEarlierTime: Bool {
        switch self {
        case .status, .item, .completed, .queueEnded: true
        default: false
        }
    }
}

typealias EventSelection = Set<EventName>

extension EventSelection {
    /// Measured at the playhead.
    static let measured: EventSelection = [.levels, .spectrum]
    /// The default selection.
    static let usual = EventSelection(EventName.allCases).subtracting(measured)

    var names: [String] { EventName.allCases.filter(contains).map(\.rawValue) }
}
