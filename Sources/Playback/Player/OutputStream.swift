// SPDX-License-Identifier: Apache-2.0

internal import Audio
internal import Kernel

/// The player's model of its output stream: state, ring, audible position, and since when the sink has stalled.
///
/// A command changes the state and returns the actions for the output, so that both agree. A report changes the state
/// only if it belongs to this stream and is expected.
struct OutputStream {
    enum State {
        case closed
        case opening(Generation, since: MonotonicTime)
        case open(Generation, AudioFormat, Transport)
    }

    /// The state of the stream at the sink. `since` bounds each wait.
    enum Transport: Equatable {
        /// Corked, or never started: the clock does not advance.
        case silent(since: MonotonicTime)
        /// `hadFrames`: there were frames to play, first at `since`.
        case starting(since: MonotonicTime, hadFrames: Bool = false)
        case running
        /// Started but out of frames. `hadFrames`: frames were in the ring, but did not reach the sink in time.
        case dry(since: MonotonicTime, hadFrames: Bool)
        /// `since`: the time at which the sink has played what it had taken; it may lie ahead. `fade`: seconds of fade-out.
        case pausing(since: MonotonicTime, fade: Double)
        /// Plays the frames in the ring; nothing follows. `since`: the last one may have been heard.
        case draining(since: MonotonicTime)
    }

    private(set) var state = State.closed
    /// The layout for which the stream was opened.
    private(set) var layout = ChannelLayout.stereo
    /// Kept after the stream ends: shows its last position until another stream opens.
    var timeline = Timeline(sampleRate: 44_100)
    var clock = OutputClock(
        ringIndex: 0, isAdvancing: false, sampledAt: MonotonicTime(nanoseconds: 0), latency: 0)
    private(set) var ring: FrameRing?
    /// Since when the sink has had frames without playing them; nil if it plays.
    private(set) var stalledSince: MonotonicTime?

    var generation: Generation? {
        switch state {
        case .closed: nil
        case .opening(let generation, _), .open(let generation, _, _): generation
        }
    }

    var format: AudioFormat? { if case .open(_, let format, _) = state { format } else { nil } }

    private(set) var transport: Transport? {
        get { if case .open(_, _, let transport) = state { transport } else { nil } }
        set {
            guard case .open(let generation, let format, _) = state, let newValue else { return }
            state = .open(generation, format, newValue)
        }
    }

    /// The stream's samples are audible.
    var isSounding: Bool {
        switch transport {
        case .running, .pausing, .draining: true
        case .silent, .starting, .dry, nil: false
        }
    }

    /// Between silence and sound.
    var isStarting: Bool {
        switch transport {
        case .silent, .starting, .pausing: true
        case .running, .dry, .draining, nil: false
        }
    }

    /// Frames wait for the sink: the decoder is not late.
    var hasFrames: Bool { ring.map { $0.unread > 0 } ?? false }

    /// Seconds from the ring to the ear, within plausible limits.
    var latency: Double { min(5, max(0, clock.latency)) }

    /// Seconds until the frame is heard; nil without a stream.
    func seconds(to index: FrameCount) -> Double? { format?.seconds(index - timeline.heard) }

    /// The time at which the frame is heard, by the last reading of the clock.
    func time(of index: FrameCount) -> MonotonicTime? {
        format.map { clock.sampledAt.advanced(bySeconds: $0.seconds(index - clock.ringIndex)) }
    }

    // MARK: Commands

    mutating func open(
        _ generation: Generation, _ format: AudioFormat, layout: ChannelLayout, _ now: MonotonicTime
    ) -> [PlayerAction] {
        state = .opening(generation, since: now)
        self.layout = layout
        return [.output(.open(format, generation))]
    }

    mutating func start(fade: Double = 0, beginsItem: Bool = false, _ now: MonotonicTime) -> [PlayerAction] {
        guard case .open(let generation, _, let transport) = state else { return [] }
        // A draining stream is audible already.
        if case .draining = transport { self.transport = .running } else { self.transport = .starting(since: now) }
        return [.output(.stream(.start(fade: fade, beginsItem: beginsItem), generation))]
    }

    mutating func pause(fade: Double, _ now: MonotonicTime) -> [PlayerAction] {
        guard case .open(let generation, _, let transport) = state else { return [] }
        switch transport {
        case .silent: return []
        case .pausing(_, fade: let longest) where longest <= fade: return []
        case .starting, .running, .dry, .pausing, .draining:
            self.transport = .pausing(since: now.advanced(bySeconds: latency), fade: fade)
            return [.output(.stream(.pause(fade: fade), generation))]
        }
    }

    mutating func drain(_ now: MonotonicTime) -> [PlayerAction] {
        guard case .open(let generation, _, _) = state else { return [] }
        transport = .draining(since: now)
        return [.output(.stream(.drain, generation))]
    }

    /// Drops the frames in ring and sink that were not heard. `fade`: seconds of fade-out.
    mutating func flush(fade: Double, _ now: MonotonicTime) -> [PlayerAction] {
        guard case .open(let generation, _, let transport) = state else { return [] }
        timeline.cut()
        switch transport {
        case .silent: return [.flushStream(generation)]
        case .pausing:
            // Nothing is left of the fade-out that a start could undo.
            self.transport = .pausing(since: now.advanced(bySeconds: latency), fade: 0)
            return [.flushStream(generation)]
        case .starting, .running, .dry, .draining:
            self.transport = .starting(since: now)
            return [.flushStream(generation, fade: fade), .output(.stream(.start(), generation))]
        }
    }

    mutating func close() -> [PlayerAction] {
        defer { lost() }
        return generation.map { [.output(.stream(.close, $0))] } ?? []
    }

    /// Frames of a new item follow, or the sink or the machine resumes: the wait for the sink, or for the source, starts now.
    mutating func renewWait(_ now: MonotonicTime) {
        switch transport {
        case .starting(_, let hadFrames): transport = .starting(since: now, hadFrames: hadFrames)
        case .dry(_, let hadFrames): transport = .dry(since: now, hadFrames: hadFrames)
        case .pausing(_, let fade): transport = .pausing(since: now.advanced(bySeconds: latency), fade: fade)
        case .silent, .running, .draining, nil: break
        }
    }

    // MARK: Reports

    /// Reports return false if they change nothing.
    mutating func opened(_ generation: Generation, _ ring: FrameRing, _ now: MonotonicTime) -> Bool {
        guard case .opening(generation, _) = state else { return false }
        state = .open(generation, ring.format, .silent(since: now))
        timeline = Timeline(sampleRate: ring.format.sampleRate)
        clock = OutputClock(ringIndex: 0, isAdvancing: false, sampledAt: now, latency: 0)
        self.ring = ring
        return true
    }

    mutating func started() -> [PlayerAction] {
        guard case .open(let generation, _, let transport) = state else { return [] }
        switch transport {
        case .starting, .dry: self.transport = .running
        // No sound is wanted.
        case .silent: return [.output(.stream(.pause(), generation))]
        case .running, .pausing, .draining: break
        }
        return []
    }

    mutating func paused(_ now: MonotonicTime) {
        if case .pausing = transport { transport = .silent(since: now) }
    }

    mutating func drained(_ now: MonotonicTime) -> Bool {
        guard case .draining = transport else { return false }
        transport = .silent(since: now)
        return true
    }

    mutating func ranDry(_ now: MonotonicTime) -> Bool {
        switch transport {
        case .running, .starting:
            if hasFrames { stall(now) }
            transport = .dry(since: now, hadFrames: hasFrames)
            return true
        case .silent, .dry, .pausing, .draining, nil: return false
        }
    }

    mutating func lost() { (state, ring, stalledSince) = (.closed, nil, nil) }

    // MARK: The sink's clock

    /// The sink has frames and does not play them.
    mutating func stall(_ now: MonotonicTime) { stalledSince = stalledSince ?? now }

    /// Looks for a stalled sink. `hasRest`: frames of the last item, or of its effect tail, are not heard yet.
    mutating func watch(hasRest: Bool, isSuspended: Bool, _ now: MonotonicTime) {
        let isStalled: Bool
        switch transport {
        // The finding at the underrun stays: the first frames after it only have to reach the sink.
        case .dry where !clock.isAdvancing && !isSuspended: return
        case .running: isStalled = hasFrames
        case .draining:
            isStalled = hasRest
            if hasRest { transport = .draining(since: now) }
        case .starting(_, hadFrames: false) where hasFrames || hasRest:
            transport = .starting(since: now, hadFrames: true)
            isStalled = false
        // A sink that stood still before the pause still does.
        case .pausing: isStalled = stalledSince != nil
        case .silent, .starting, .dry, nil: isStalled = false
        }
        if isStalled, !clock.isAdvancing, !isSuspended { stall(now) } else { stalledSince = nil }
    }
}
