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

    /// An event of which only the latest counts, unless an earlier event makes it out of date.
    private struct Latest {
        var frame: EventFrame?
        private var barrier: UInt64 = 0

        mutating func take(_ new: EventFrame) -> Bool {
            guard new.version >= barrier, new.version >= frame?.version ?? 0 else { return false }
            frame = new
            return true
        }

        mutating func expire(before version: UInt64) {
            barrier = max(barrier, version)
            if let frame, frame.version < barrier { self.frame = nil }
        }
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
    private var time = Latest()
    private var buffer = Latest()
    /// States of which only the latest counts, independent of the player's state.
    private var states: [EventName: EventFrame] = [:]
    private var heartbeatIsDue = false
    /// The client's connection found nothing and must be woken for the next frame.
    private var isIdle = false

    init(selection: EventSelection) {
        self.selection = selection
    }

    // MARK: Input. Each method returns whether the connection must be woken.

    mutating func append(_ event: EventFrame) -> Bool {
        guard let name = event.name else { return false }
        if name.endsEarlierTime { time.expire(before: event.version) }
        if name == .completed, let last = time.frame, last.version == event.version {
            // It belongs to the end of the item, and must not be replaced by the next item's.
            time.frame = nil
            add(last)
        }
        if name == .item { buffer.expire(before: event.version) }
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
        guard let name = frame.name, selection.contains(name) else { return false }
        switch name {
        case .time: guard time.take(frame) else { return false }
        case .buffer: guard buffer.take(frame) else { return false }
        default: states[name] = frame
        }
        return wake()
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

    /// The oldest latest-only event, if it is older than this version.
    private mutating func takeLatest(before version: UInt64) -> EventFrame? {
        guard time.frame != nil || buffer.frame != nil || !states.isEmpty else { return nil }
        let state = states.min { $0.value.version < $1.value.version }
        let oldest = min(time.frame?.version ?? .max, buffer.frame?.version ?? .max, state?.value.version ?? .max)
        guard oldest < version else { return nil }
        if time.frame?.version == oldest { return time.frame.take() }
        if buffer.frame?.version == oldest { return buffer.frame.take() }
        return state.flatMap { states.removeValue(forKey: $0.key) }
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
        time.frame = nil
        buffer.frame = nil
    }
}
