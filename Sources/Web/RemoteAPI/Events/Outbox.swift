// SPDX-License-Identifier: Apache-2.0

import HTTP

/// The frames that wait for one client: a bounded sequence of recorded events and replies, and the latest `time` and
/// `buffer`. A pure value; its owner serialises access.
struct Outbox {
    static let maximumEvents = 256
    static let maximumBytes = 256 * 1024

    enum Next {
        case frame(EventFrame)
        /// Events were lost: send `resync`, then `begin` with the whole state.
        case resync
        case heartbeat
        case none
    }

    /// Greetings, replies and replayed events are never dropped: their number is bounded elsewhere.
    private struct Entry {
        var frame: EventFrame
        var isKept: Bool
    }

    var selection: EventSelection
    private var entries: ArraySlice<Entry> = []
    private var eventCount = 0
    private var eventBytes = 0
    private(set) var keptBytes = 0
    private var hasLostEvents = false
    private var lostCount = 0
    /// The client knows recorded events up to this number.
    private var floor: UInt64 = 0
    /// Events of which only the latest counts.
    private var latest: [EventName: EventFrame] = [:]
    /// The versions before which events are out of date.
    private var barriers: [EventName: UInt64] = [:]
    private var heartbeatIsDue = false
    /// The client's connection found nothing and must be woken for the next frame.
    private var isIdle = false

    init(selection: EventSelection) {
        self.selection = selection
    }

    // MARK: Input. Each method returns whether the connection must be woken.

    mutating func append(_ event: EventFrame) -> Bool {
        guard let name = event.name else { return false }
        if name.endsEarlierTime { expire(.time, before: event.version) }
        if name == .completed, latest[.time]?.version == event.version, let last = latest.removeValue(forKey: .time) {
            // It belongs to the end of the item, and must not be replaced by the next item's.
            add(last)
        }
        if name == .item { expire(.buffer, before: event.version) }
        guard selection.contains(name), event.sequence ?? 0 > floor else { return false }
        guard !hasLostEvents else {
            lostCount += 1
            return false
        }
        add(event)
        return wake()
    }

    private mutating func add(_ event: EventFrame) {
        let bytes = event.bytes.bytes.count
        guard !hasLostEvents, eventCount < Self.maximumEvents, eventBytes + bytes <= Self.maximumBytes else {
            lostCount += 1
            return dropEvents()
        }
        entries.append(Entry(frame: event, isKept: false))
        eventCount += 1
        eventBytes += bytes
    }

    mutating func keep(_ frame: EventFrame) -> Bool {
        entries.append(Entry(frame: frame, isKept: true))
        keptBytes += frame.bytes.bytes.count
        return wake()
    }

    /// For an event of which only the latest counts.
    mutating func set(_ frame: EventFrame) -> Bool {
        guard let name = frame.name, selection.contains(name),
            frame.version >= max(barriers[name] ?? 0, latest[name]?.version ?? 0)
        else { return false }
        latest[name] = frame
        return wake()
    }

    private mutating func expire(_ name: EventName, before version: UInt64) {
        barriers[name] = max(barriers[name] ?? 0, version)
        if let frame = latest[name], frame.version < version { latest[name] = nil }
    }

    mutating func setHeartbeat() -> Bool {
        heartbeatIsDue = true
        return wake()
    }

    /// Queues the state as of `sequence` or later, as a greeting or in answer to `Next.resync`.
    mutating func begin(after sequence: UInt64, _ frames: [EventFrame]) {
        hasLostEvents = false
        floor = sequence
        for frame in frames { _ = keep(frame) }
    }

    // MARK: Output

    /// The next frame, apart from latest-only events.
    var first: EventFrame? { entries.first?.frame }

    /// In the order of the versions.
    mutating func next() -> Next {
        let first = entries.first
        // Kept frames precede latest-only ones.
        if let frame = takeLatest(before: first.map { $0.isKept ? 0 : $0.frame.version } ?? .max) {
            return .frame(frame)
        }
        if let first {
            entries.removeFirst()
            // An idle client needs no storage.
            if entries.isEmpty { entries = [] }
            let bytes = first.frame.bytes.bytes.count
            if first.isKept {
                keptBytes -= bytes
            } else {
                eventCount -= 1
                eventBytes -= bytes
            }
            return .frame(first.frame)
        }
        if hasLostEvents { return .resync }
        if heartbeatIsDue {
            heartbeatIsDue = false
            return .heartbeat
        }
        isIdle = true
        return .none
    }

    /// The oldest latest-only event, if it is older than this version; of equal ones `time` comes before `buffer`.
    private mutating func takeLatest(before version: UInt64) -> EventFrame? {
        let oldest = latest.min { ($0.value.version, $1.key.rawValue) < ($1.value.version, $0.key.rawValue) }
        guard let oldest, oldest.value.version < version else { return nil }
        return latest.removeValue(forKey: oldest.key)
    }

    /// Number of events dropped since the last call.
    mutating func takeLostCount() -> Int {
        defer { lostCount = 0 }
        return lostCount
    }

    private mutating func wake() -> Bool {
        defer { isIdle = false }
        return isIdle
    }

    private mutating func dropEvents() {
        entries = entries.filter(\.isKept)[...]
        lostCount += eventCount
        eventCount = 0
        eventBytes = 0
        hasLostEvents = true
        // The following snapshot contains the time.
        latest[.time] = nil
        latest[.buffer] = nil
    }
}
