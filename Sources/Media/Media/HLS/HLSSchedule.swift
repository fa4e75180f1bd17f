// SPDX-License-Identifier: Apache-2.0

internal import Playback
internal import Kernel

/// Decides what to fetch of an HLS stream, as a pure state machine. Inputs: playlists, arrivals, the reader's position. Outputs:
/// actions. No thread, no clock, no socket.
struct HLSSchedule {
    enum Action: Equatable {
        case open(HLSSegment)
        case close(Int64)
        /// Reload the stream's playlist.
        case fetchPlaylist
        case wake(MonotonicTime)
        case report(MediaLoading)
    }

    /// A segment with its place in the stream.
    struct Slot: Equatable {
        var segment: HLSSegment
        /// Seconds from the point at which the stream was joined.
        var start: Double
        var end: Double { start + segment.duration }
    }

    /// A segment that is being fetched or is complete.
    struct Fetch {
        var loading = MediaLoading()
        /// Bytes received, from its beginning on.
        var bytes: Int64 = 0
        /// Bytes read.
        var read: Int64 = 0
        var isWhole = false
        var size: Int64?
    }

    enum Reload: Equatable {
        case none
        case waiting(until: MonotonicTime)
        case fetching(since: MonotonicTime)
    }

    enum Answer: Equatable {
        case segment(Slot)
        /// The server says that it lacks this segment.
        case gap(Slot)
        case wait
        case end
        /// Continue at this segment instead.
        case jump(Int64)
        case failed(MediaError)
    }

    let name: String
    let limits: HLSLimits
    /// In a live stream: the segments still to be played, and one before.
    var slots: HLSSlots
    var isEnded = false
    let isLive: Bool
    var target: Double
    /// The oldest segment in the newest playlist.
    var oldest: Int64 = 0
    /// The segment being read.
    var cursor: Int64
    var fetches: [Int64: Fetch] = [:]
    /// The playlist's numbering restarted: the sequence number that the reader wants next is meaningless.
    var isRestarted = false
    var reload = Reload.none
    var fetchedAt: MonotonicTime
    /// When the playlist last had a new segment.
    var changedAt: MonotonicTime
    var failure: MediaError?
    /// Error of the last reload, if it failed.
    var reloadError: MediaError?
    var now: MonotonicTime
    var actions: [Action] = []
    var reporting = LoadingReports()
    var wakesAt: MonotonicTime?

    /// `playlist` has just arrived.
    init(_ playlist: HLSMediaPlaylist, name: String, limits: HLSLimits, now: MonotonicTime) {
        self.name = name
        self.limits = limits
        self.now = now
        isLive = !playlist.isEnded
        isEnded = playlist.isEnded
        target = playlist.targetDuration
        (fetchedAt, changedAt) = (now, now)
        slots = playlist.slots
        cursor = slots.first?.segment.sequence ?? 0
        oldest = cursor
        if isLive {
            cursor = edge
            dropOld()
            // Positions count from the join point.
            slots.shift(by: -(slots.slot(cursor)?.start ?? 0))
            scheduleReload(changed: true)
        }
    }

    mutating func begin() -> [Action] { finish() }

    // MARK: The reader

    /// The reader wants this segment.
    mutating func want(_ sequence: Int64, now: MonotonicTime) -> (Answer, [Action]) {
        self.now = now
        let answer = answer(sequence)
        if case .jump(let place) = answer { cursor = place } else { cursor = sequence }
        isRestarted = false
        if case .segment = answer { fetches[sequence]?.read = 0 }
        return (answer, finish())
    }

    private func answer(_ sequence: Int64) -> Answer {
        if isLive, isRestarted || (isBehind(sequence) && sequence != edge) { return .jump(edge) }
        if let slot = slot(sequence) { return slot.segment.isGap ? .gap(slot) : .segment(slot) }
        if isEnded, sequence > (slots.last?.segment.sequence ?? -1) { return .end }
        if let failure { return .failed(failure) }
        return isLive ? .wait : .end
    }

    /// As `want`, for a run opened ahead: changes nothing.
    func foresee(_ sequence: Int64) -> Answer {
        // Only the current run is sent to the new place.
        if isRestarted { return .wait }
        if let slot = slot(sequence) {
            if slot.segment.isGap { return .gap(slot) }
            return fetches[sequence] == nil ? .wait : .segment(slot)
        }
        return isEnded && sequence > (slots.last?.segment.sequence ?? -1) ? .end : .wait
    }

    /// The first segment of the next run, if it starts soon and is complete.
    func nextRun(after sequence: Int64, of first: HLSSegment) -> Int64? {
        guard !isRestarted else { return nil }
        var (next, distance) = (sequence + 1, 0.0)
        while distance <= limits.lead, fetches[next]?.isWhole == true, let slot = slot(next) {
            if !slot.segment.joins(first) { return next }
            distance += slot.segment.duration
            next += 1
        }
        return nil
    }

    /// The reader of a live stream has fallen behind.
    private func isBehind(_ sequence: Int64) -> Bool {
        guard let last = slots.last else { return false }
        if sequence < slots[0].segment.sequence { return true }
        guard let slot = slot(sequence) else { return false }
        if fetches[sequence]?.isWhole == true { return false }
        let usual = limits.edge * target
        let most = max(2 * (usual + target), usual + limits.lag)
        return sequence < oldest || (!isEnded && last.end - slot.start > most)
    }

    /// The run opened ahead has become the current one; it has read `bytes` of this segment.
    mutating func switched(to sequence: Int64, bytes: Int64, now: MonotonicTime) -> [Action] {
        if !isRestarted, slot(sequence) != nil { cursor = sequence }
        return read(sequence, bytes: bytes, now: now)
    }

    /// The reader has read `bytes` of this segment.
    mutating func read(_ sequence: Int64, bytes: Int64, now: MonotonicTime) -> [Action] {
        self.now = now
        fetches[sequence]?.read = bytes
        return finish()
    }

    /// The segment at `seconds` from the beginning.
    func sequence(at seconds: Double) -> Int64? {
        var (low, high) = (0, slots.count)
        while low < high {
            let middle = (low + high) / 2
            if slots[middle].start <= seconds { low = middle + 1 } else { high = middle }
        }
        return slots.isEmpty ? nil : slots[max(0, low - 1)].segment.sequence
    }

    func slot(_ sequence: Int64) -> Slot? { slots.slot(sequence) }

    /// The segment at which a live stream is joined: far enough before the end that the buffer does not run dry.
    var edge: Int64 {
        var left = limits.edge * target
        for slot in slots.reversed() {
            left -= slot.segment.duration
            if left <= 0 { return max(oldest, slot.segment.sequence) }
        }
        return slots.isEmpty ? cursor : oldest
    }

    // MARK: Arrivals

    mutating func arrived(_ sequence: Int64, _ loading: MediaLoading, now: MonotonicTime) -> [Action] {
        self.now = now
        guard var fetch = fetches[sequence], let slot = slot(sequence) else { return [] }
        let start = slot.segment.media.range?.lowerBound ?? 0
        let end = [slot.segment.media.range?.upperBound, loading.size].compactMap { $0 }.min()
        let reached = loading.ranges.last?.upperBound ?? start
        let new = max(0, reached - start)
        if new > fetch.bytes { reporting.meter(Int(new - fetch.bytes)) }
        fetch.loading = loading
        fetch.bytes = max(fetch.bytes, new)
        fetch.size = end.map { $0 - start }
        fetch.isWhole = fetch.isWhole || end.map { reached >= $0 } ?? false
        fetches[sequence] = fetch
        return finish()
    }

    mutating func tick(now: MonotonicTime) -> [Action] {
        self.now = now
        if let wakesAt, wakesAt <= now { self.wakesAt = nil }
        return finish()
    }

    mutating func close() -> [Action] {
        failure = MediaError(.cancelled, "\(name) was closed.")
        reload = .none
        for sequence in fetches.keys { actions.append(.close(sequence)) }
        fetches = [:]
        defer { actions = [] }
        return actions
    }

    mutating func finish() -> [Action] {
        if failure?.code != .cancelled {
            checkReload()
            steer()
            report()
        }
        defer { actions = [] }
        return actions
    }
}
