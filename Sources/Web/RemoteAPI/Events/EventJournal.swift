// SPDX-License-Identifier: Apache-2.0

/// The last recorded events, for returning clients. A pure value.
struct EventJournal {
    static let maximumEvents = 1024
    static let maximumBytes = 1 << 20

    /// The last number; before the first event the server's last one then. Numbers that are missing here belong to other
    /// players.
    private(set) var sequence: UInt64
    /// Of the last event.
    private(set) var version: UInt64 = 0
    private var events: [EventFrame] = []
    private var bytes = 0
    /// The number of the last dropped event.
    private var forgotten: UInt64 = 0

    init(after latest: UInt64 = 0) { sequence = latest }

    /// Takes the next number after its own and `latest`.
    mutating func record(
        after latest: UInt64 = 0, encode: (_ sequence: UInt64) -> EventFrame
    ) -> EventFrame {
        sequence = max(sequence, latest) + 1
        let event = encode(sequence)
        version = event.version
        events.append(event)
        bytes += event.bytes.bytes.count
        while events.count > Self.maximumEvents || (bytes > Self.maximumBytes && events.count > 1) {
            let oldest = events.removeFirst()
            bytes -= oldest.bytes.bytes.count
            forgotten = oldest.sequence ?? forgotten
        }
        return event
    }

    /// The events after `sequence`; nil if some of them were dropped, or if the number was never given.
    func events(since sequence: UInt64) -> ArraySlice<EventFrame>? {
        guard sequence <= self.sequence, sequence >= forgotten else { return nil }
        return events[(events.firstIndex { $0.sequence ?? 0 > sequence } ?? events.endIndex)...]
    }
}
