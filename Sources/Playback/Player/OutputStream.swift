// SPDX-License-Identifier: Apache-2.0

internal import Audio
internal import Kernel

/// The player's knowledge of its stream at the output: how far it has come, what its ring holds, what of that was heard, and since
/// when the sink stands.
///
/// A command changes the state and returns the actions for the output, so that the two agree. A report changes it when it is of
/// this stream, and expected. `PlayerCore+Output` calls the reports; `PlayerCore+Reconciling` and `+Routing` call the commands.
struct OutputStream {
    enum State {
        case closed
        case opening(Generation, since: MonotonicTime)
        case open(Generation, AudioFormat, Transport)
    }

    /// The sink's state of the stream. `since` bounds each wait.
    enum Transport: Equatable {
        /// Corked (or never started); the clock stands.
        case silent(since: MonotonicTime)
        /// `hadFrames`: there was something to play; `since` is when that began.
        case starting(since: MonotonicTime, hadFrames: Bool = false)
        case running
        /// Started, but there was nothing to play; or there was, and the sink did not get it in time.
        case dry(since: MonotonicTime, hadFrames: Bool)
        /// `fade`: seconds that the fade-out takes.
        case pausing(since: MonotonicTime, fade: Double)
        /// Plays what the ring holds; nothing follows.
        case draining(since: MonotonicTime)
    }

    private(set) var state = State.closed
    /// The layout that it was opened for.
    private(set) var layout = ChannelLayout.stereo
    /// Of the last stream, too: its place shows until there is another one.
    var timeline = Timeline(sampleRate: 44_100)
    private(set) var clock = OutputClock(
        ringIndex: 0, isAdvancing: false, sampledAt: MonotonicTime(nanoseconds: 0), latency: 0)
    private(set) var ring: FrameRing?
    /// Since when the sink's clock stands although the sink has frames to play; nil while all is well.
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

    /// Our samples sound.
    var isSounding: Bool {
        switch transport {
        case .running, .pausing, .draining: true
        case .silent, .starting, .dry, nil: false
        }
    }

    /// On the way from silence to sound.
    var isStarting: Bool {
        switch transport {
        case .silent, .starting, .pausing: true
        case .running, .dry, .draining, nil: false
        }
    }

    /// Where frames wait for the sink, it is not the decoder that is late.
    var hasFrames: Bool { ring.map { $0.unread > 0 } ?? false }

    /// Seconds until that frame is heard; nil without a stream.
    func seconds(to index: FrameCount) -> Double? { format?.seconds(index - timeline.heard) }

    /// When that frame is heard, by the last reading of the clock.
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

    mutating func start(fade: Double = 0, _ now: MonotonicTime) -> [PlayerAction] {
        guard case .open(let generation, _, let transport) = state else { return [] }
        // A stream that drains sounds already.
        if case .draining = transport { self.transport = .running } else { self.transport = .starting(since: now) }
        return [.output(.stream(.start(fade: fade), generation))]
    }

    mutating func pause(fade: Double, _ now: MonotonicTime) -> [PlayerAction] {
        guard case .open(let generation, _, let transport) = state else { return [] }
        switch transport {
        case .silent: return []
        case .pausing(_, fade: let longest) where longest <= fade: return []
        case .starting, .running, .dry, .pausing, .draining:
            self.transport = .pausing(since: now, fade: fade)
            return [.output(.stream(.pause(fade: fade), generation))]
        }
    }

    mutating func drain(_ now: MonotonicTime) -> [PlayerAction] {
        guard case .open(let generation, _, _) = state else { return [] }
        transport = .draining(since: now)
        return [.output(.stream(.drain, generation))]
    }

    /// Takes everything that was not heard out of ring and sink. `fade`: seconds in which what sounds may fade out.
    mutating func flush(fade: Double, _ now: MonotonicTime) -> [PlayerAction] {
        guard case .open(let generation, _, let transport) = state else { return [] }
        timeline.cut()
        switch transport {
        case .silent, .pausing: return [.flushStream(generation)]
        case .starting, .running, .dry, .draining:
            self.transport = .starting(since: now)
            return [.flushStream(generation, fade: fade), .output(.stream(.start(), generation))]
        }
    }

    mutating func close() -> [PlayerAction] {
        defer { lost() }
        return generation.map { [.output(.stream(.close, $0))] } ?? []
    }

    /// A new item's frames are on their way: the wait for the sink, or for this source, begins now.
    mutating func fed(_ now: MonotonicTime) {
        switch transport {
        case .starting(_, let hadFrames): transport = .starting(since: now, hadFrames: hadFrames)
        case .dry(_, let hadFrames): transport = .dry(since: now, hadFrames: hadFrames)
        case .silent, .running, .pausing, .draining, nil: break
        }
    }

    // MARK: Reports

    /// False, here and below: nothing has changed.
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
        // Nobody has asked for sound.
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

    mutating func read(_ reading: OutputClock) { clock = reading }

    /// The sink has frames and stands.
    mutating func stall(_ now: MonotonicTime) { stalledSince = stalledSince ?? now }

    /// `hasRest`: frames of the last item, or of its effects, are not heard yet.
    mutating func watch(hasRest: Bool, isSuspended: Bool, _ now: MonotonicTime) {
        let stands: Bool
        switch transport {
        // What was found when it ran dry holds: the first frames after that only have to reach the sink.
        case .dry where !clock.isAdvancing && !isSuspended: return
        case .running: stands = hasFrames
        case .draining: stands = hasRest
        case .starting(_, hadFrames: false) where hasFrames || hasRest:
            transport = .starting(since: now, hadFrames: true)
            stands = false
        case .silent, .starting, .pausing, .dry, nil: stands = false
        }
        if stands, !clock.isAdvancing, !isSuspended { stall(now) } else { stalledSince = nil }
    }
}
