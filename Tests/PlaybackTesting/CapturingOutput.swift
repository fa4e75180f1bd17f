// SPDX-License-Identifier: Apache-2.0

public import Audio
public import Playback
internal import Synchronization
internal import Kernel

/// An output that plays on request and records the sound. Its clock counts rendered frames.
public final class CapturingOutput: AudioOutput {
    private struct State {
        var handler: (@Sendable (AudioOutputEvent) -> Void)?
        var ring: FrameRing?
        var generation: Generation?
        var isStarted = false
        var isDraining = false
        var hasReportedStart = false
        var heard: FrameCount = 0
        var captured: [Float] = []
        var timerGain = 1.0
        var effects = EffectSettings.off
        var opened = 0
        var splices = 0
        var flushes = 0
    }

    private let state = Mutex(State())
    private let clockSource: ManualClock
    private let format: AudioFormat
    private let ringCapacity: Int

    public init(
        clock: ManualClock, format: AudioFormat = AudioFormat(sampleRate: 44_100, layout: .stereo),
        ringCapacity: Int = 88_200
    ) {
        clockSource = clock
        self.format = format
        self.ringCapacity = ringCapacity
    }

    /// The first channel of the recorded sound.
    public var captured: [Float] { state.withLock { $0.captured } }
    /// The gain of sleep timers and alarms, at the end of its ramp.
    public var timerGain: Double { state.withLock { $0.timerGain } }
    public var effects: EffectSettings { state.withLock { $0.effects } }
    /// The number of opened streams.
    public var streamsOpened: Int { state.withLock { $0.opened } }
    /// The number of splices, and of flushes.
    public var splices: Int { state.withLock { $0.splices } }
    public var flushes: Int { state.withLock { $0.flushes } }
    /// Frames written by the player and not yet heard.
    public var unread: Int { state.withLock { state in state.ring.map { Int($0.writeIndex - $0.readIndex) } ?? 0 } }

    public func send(_ event: AudioOutputEvent) {
        state.withLock { $0.handler }?(event)
    }

    /// Ends the running stream like a sound server that dies.
    public func lose() {
        let generation = state.withLock { state in
            state.isStarted = false
            state.ring = nil
            defer { state.generation = nil }
            return state.generation
        }
        if let generation { send(.failed(generation, .lost("The sound server went away."))) }
    }

    /// Plays up to `frames` frames and advances the clock. Returns the number of frames.
    @discardableResult
    public func play(_ frames: Int) -> Int {
        let (played, events, handler) = state.withLock {
            state -> (Int, [AudioOutputEvent], (@Sendable (AudioOutputEvent) -> Void)?) in
            guard state.isStarted, let ring = state.ring, let generation = state.generation else { return (0, [], nil) }
            let channels = format.channelCount
            let buffer = UnsafeMutablePointer<Float>.allocate(capacity: frames * channels)
            defer { buffer.deallocate() }
            let read = ring.read(into: buffer, frames: frames)
            for frame in 0..<read { state.captured.append(buffer[frame * channels]) }
            state.heard = ring.readIndex
            var events: [AudioOutputEvent] = []
            if read > 0, !state.hasReportedStart {
                state.hasReportedStart = true
                events.append(.started(generation))
            }
            if read < frames, state.hasReportedStart || state.isDraining {
                state.hasReportedStart = false
                if state.isDraining { state.isStarted = false }
                events.append(state.isDraining ? .drained(generation) : .underrun(generation))
            }
            return (read, events, state.handler)
        }
        clockSource.advance(seconds: format.seconds(FrameCount(played)))
        for event in events { handler?(event) }
        return played
    }

    // MARK: AudioOutput

    public func activate(_ handler: @escaping @Sendable (AudioOutputEvent) -> Void) {
        state.withLock { $0.handler = handler }
        handler(.availability(.available))
    }

    public func perform(_ command: OutputCommand) {
        switch command {
        case .open(_, let generation): open(generation)
        case .stream(let command, let generation): perform(command, generation)
        case .setEffects(let effects): state.withLock { $0.effects = effects }
        case .setGain(.timer(let gain, _)): state.withLock { $0.timerGain = gain }
        case .connect, .setGain, .setTap, .describe, .select: break
        }
    }

    private func open(_ generation: Generation) {
        let ring = FrameRing(format: format, capacity: ringCapacity, retained: 0)
        state.withLock { state in
            state.ring = ring
            state.generation = generation
            state.isStarted = false
            state.isDraining = false
            state.hasReportedStart = false
            state.heard = 0
            state.opened += 1
        }
        send(.opened(generation, ring))
    }

    private func perform(_ command: StreamCommand, _ generation: Generation) {
        let event: AudioOutputEvent? = state.withLock { state in
            guard state.generation == generation else { return nil }
            switch command {
            case .start: (state.isStarted, state.isDraining) = (true, false)
            case .pause:
                (state.isStarted, state.hasReportedStart) = (false, false)
                return .paused(generation)
            case .flush(let index, _):
                state.ring?.skip(to: index)
                state.flushes += 1
                state.hasReportedStart = false
                return .flushed(generation)
            case .drain: state.isDraining = true
            case .close:
                (state.generation, state.ring, state.isStarted) = (nil, nil, false)
                return .closed(generation)
            case .splice(let splice):
                guard let ring = state.ring else { return nil }
                let end = ring.writeIndex
                splice.perform(in: ring, notBefore: ring.readIndex)
                if ring.writeIndex != end { state.splices += 1 }
            case .shift, .unmute: break
            }
            return nil
        }
        if let event { send(event) }
    }

    public func clock() -> OutputClock {
        state.withLock { state in
            OutputClock(
                ringIndex: state.heard, isAdvancing: state.hasReportedStart, sampledAt: clockSource.now, latency: 0)
        }
    }

    public func shutdown() {}
}
