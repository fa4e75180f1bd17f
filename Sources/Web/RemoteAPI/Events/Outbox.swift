// SPDX-License-Identifier: Apache-2.0

import HTTP

/// What waits for one client: a bounded sequence of recorded events and replies, and the latest `time` and `buffer`.
/// A pure value; its owner serialises the access.
struct Outbox {
    static let maximumEvents = 256
    static let maximumBytes = 256 * 1024

    enum Next {
        case frame(EventFrame)
        /// Events were lost: send `resync`, then `resume` with the whole state.
        case resync
        case heartbeat
        case none
    }

    private enum Entry {
        case event(RecordedEvent)
        /// Greeting, replies: never dropped; the session bounds their number and bytes.
        case kept(EventFrame)

        /// nil: goes before all that waits beside it.
        var version: UInt64? {
            switch self {
            case .event(let event): event.version
            case .kept: nil
            }
        }
    }

    private struct Latest {
        var version: UInt64
        var frame: EventFrame
    }

    var selection: EventSelection
    private var entries: [Entry] = []
    private var head = 0
    private var eventCount = 0
    private var eventBytes = 0
    /// Of greeting and replies.
    private(set) var keptBytes = 0
    private var hasLostEvents = false
    private var lostCount = 0
    /// Recorded events up to this one are known to the client already.
    private var floor: UInt64 = 0
    /// `time` of an earlier version is out of date.
    private var timeBarrier: UInt64 = 0
    /// `buffer` of an earlier version belongs to an earlier item.
    private var bufferBarrier: UInt64 = 0
    private var time: Latest?
    private var buffer: Latest?
    /// States of which only the latest counts, and that do not depend on the player's.
    private var states: [EventName: Latest] = [:]
    private var heartbeatIsDue = false
    /// The client's side has found nothing and must be woken for what comes next.
    private var isIdle = false

    init(selection: EventSelection) {
        self.selection = selection
    }

    // MARK: In. Each returns whether the client's side must be woken.

    mutating func append(_ event: RecordedEvent) -> Bool {
        if event.name.endsEarlierTime {
            timeBarrier = max(timeBarrier, event.version)
            if let waiting = time, waiting.version < timeBarrier { time = nil }
        }
        if event.name == .completed, let last = time, last.version == event.version {
            // At the end of the item, and not to be replaced by the next one's.
            time = nil
            add(RecordedEvent(name: .time, sequence: event.sequence, version: last.version, frame: last.frame))
        }
        if event.name == .item {
            bufferBarrier = max(bufferBarrier, event.version)
            if let waiting = buffer, waiting.version < bufferBarrier { buffer = nil }
        }
        guard selection.contains(event.name), event.sequence > floor else { return false }
        guard !hasLostEvents else {
            lostCount += 1
            return false
        }
        add(event)
        return wake()
    }

    private mutating func add(_ event: RecordedEvent) {
        let bytes = event.frame.bytes.bytes.count
        guard !hasLostEvents, eventCount < Self.maximumEvents, eventBytes + bytes <= Self.maximumBytes else {
            lostCount += 1
            return dropEvents()
        }
        entries.append(.event(event))
        eventCount += 1
        eventBytes += bytes
    }

    mutating func keep(_ frame: EventFrame) -> Bool {
        entries.append(.kept(frame))
        keptBytes += frame.bytes.bytes.count
        return wake()
    }

    mutating func setTime(_ frame: EventFrame, version: UInt64) -> Bool {
        guard selection.contains(.time), version >= timeBarrier, version >= time?.version ?? 0 else { return false }
        time = Latest(version: version, frame: frame)
        return wake()
    }

    mutating func setBuffer(_ frame: EventFrame, version: UInt64) -> Bool {
        guard selection.contains(.buffer), version >= bufferBarrier, version >= buffer?.version ?? 0 else {
            return false
        }
        buffer = Latest(version: version, frame: frame)
        return wake()
    }

    /// Of a kind that carries a whole state each time.
    mutating func setState(_ name: EventName, _ frame: EventFrame, version: UInt64) -> Bool {
        guard selection.contains(name) else { return false }
        states[name] = Latest(version: version, frame: frame)
        return wake()
    }

    mutating func setHeartbeat() -> Bool {
        heartbeatIsDue = true
        return wake()
    }

    /// The whole state as of `sequence` goes out next, in answer to `Next.resync`.
    mutating func resume(after sequence: UInt64, _ frames: [EventFrame]) {
        hasLostEvents = false
        floor = sequence
        for frame in frames { _ = keep(frame) }
    }

    /// Events up to `sequence` are not news, as the greeting holds the state after them.
    mutating func begin(after sequence: UInt64) {
        floor = sequence
    }

    // MARK: Out

    /// The number of the first recorded event that waits.
    var firstSequence: UInt64? {
        for case .event(let event) in entries[head...] { return event.sequence }
        return nil
    }

    /// In the order of the versions of what waits.
    mutating func next() -> Next {
        if let frame = takeLatest(before: head < entries.count ? entries[head].version ?? 0 : .max) {
            return .frame(frame)
        }
        if head < entries.count {
            defer { advance() }
            switch entries[head] {
            case .kept(let frame):
                keptBytes -= frame.bytes.bytes.count
                return .frame(frame)
            case .event(let event):
                eventCount -= 1
                eventBytes -= event.frame.bytes.bytes.count
                return .frame(event.frame)
            }
        }
        if hasLostEvents { return .resync }
        if heartbeatIsDue {
            heartbeatIsDue = false
            return .heartbeat
        }
        isIdle = true
        return .none
    }

    /// The oldest of what is latest-only, when it is older than that.
    private mutating func takeLatest(before version: UInt64) -> EventFrame? {
        guard time != nil || buffer != nil || !states.isEmpty else { return nil }
        let state = states.min { $0.value.version < $1.value.version }
        let oldest = min(time?.version ?? .max, buffer?.version ?? .max, state?.value.version ?? .max)
        guard oldest < version else { return nil }
        if let latest = time, latest.version == oldest {
            time = nil
            return latest.frame
        }
        if let latest = buffer, latest.version == oldest {
            buffer = nil
            return latest.frame
        }
        return state.flatMap { states.removeValue(forKey: $0.key)?.frame }
    }

    /// Events dropped since the last call.
    mutating func takeLostCount() -> Int {
        defer { lostCount = 0 }
        return lostCount
    }

    private mutating func wake() -> Bool {
        defer { isIdle = false }
        return isIdle
    }

    private mutating func advance() {
        head += 1
        if head == entries.count {
            // An idle client keeps no storage.
            entries = []
            head = 0
        } else if head >= 64, head * 2 >= entries.count {
            // One that is always a little behind keeps what it still has to get, and not what it got.
            entries.removeFirst(head)
            head = 0
        }
    }

    private mutating func dropEvents() {
        entries = entries[head...].filter { if case .kept = $0 { true } else { false } }
        head = 0
        lostCount += eventCount
        eventCount = 0
        eventBytes = 0
        hasLostEvents = true
        // The snapshot that follows has the time.
        time = nil
        buffer = nil
    }
}
