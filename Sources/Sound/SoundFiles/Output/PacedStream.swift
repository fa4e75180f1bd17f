// SPDX-License-Identifier: Apache-2.0

internal import Audio
internal import Playback
internal import Kernel

/// One stream of a `PacedOutput`: maps frames to times.
struct PacedStream {
    let generation: Generation
    let ring: FrameRing

    /// Seconds of sound that a decode thread can be ahead.
    private static let ringSeconds = 2.0
    /// Seconds of past sound that newly enabled effects read, and as much again.
    private static let retainedSeconds = 0.5
    private static let chunk = 1_024
    /// Seconds that the last frames wait for following ones, which effects look ahead at: written frames are final.
    private static let patience = 0.1
    /// Seconds that stay in the ring after a shift.
    private static let spare = 0.1
    /// Seconds of the fade-in after a long fade-out.
    private static let fadeInOfAnother = 0.05

    private enum Phase {
        /// Not started, or paused.
        case stopped
        /// Running with an empty ring: continues when frames come.
        case waiting
        /// Frame `index` is audible at `time`, the following ones at the sample rate.
        case playing(index: FrameCount, time: MonotonicTime)
        /// All frames were heard; waits for the next `start` or `flush`.
        case drained
    }

    private enum AfterFade {
        case pause
        /// Continues at this ring index.
        case flush(FrameCount)
    }

    private let format: AudioFormat
    private let sink: any PacedSink
    private var phase = Phase.stopped
    private var isDraining = false
    private var renderer: StreamRenderer
    private var stage: EffectStage?
    /// The ring is kept alive for the renderer.
    private var tap: (tap: SoundTap, ring: TapRing)?
    /// The action after a long fade-out.
    private var afterFade: AfterFade?
    /// Number of frames that fade in after a pause or a flush.
    private var fadeIn: FrameCount = 0
    /// The clock stays at this index while earlier frames are heard again.
    private var shiftedAt: FrameCount = 0
    /// The index after the last frames, while they wait, and since when.
    private var late: (end: FrameCount, since: MonotonicTime)?
    private var now = MonotonicTime.now
    private var buffer: [Float]
    private var events: [AudioOutputEvent] = []

    init(
        _ format: AudioFormat, _ generation: Generation, gains: StreamGains, effects: EffectSettings,
        sink: any PacedSink, onFrames: @escaping @Sendable () -> Void
    ) {
        self.format = format
        self.generation = generation
        self.sink = sink
        ring = FrameRing(
            format: format, capacity: Int(format.frames(Self.ringSeconds)),
            retained: Int(format.frames(Self.retainedSeconds)), onFrames: onFrames)
        renderer = StreamRenderer(ring: ring, gains: gains)
        buffer = [Float](repeating: 0, count: Self.chunk * format.channelCount)
        setEffects(effects)
    }

    var clock: OutputClock {
        if case .playing(let index, let time) = phase {
            return OutputClock(ringIndex: max(index, shiftedAt), isAdvancing: true, sampledAt: time, latency: 0)
        }
        return OutputClock(ringIndex: max(ring.readIndex, shiftedAt), isAdvancing: false, sampledAt: now, latency: 0)
    }

    /// Time of the next action without a command; nil if there is none. While the ring is empty, `onFrames` is called
    /// with the next frames.
    func wakeUp(period: Double) -> MonotonicTime? {
        switch phase {
        case .stopped, .drained: nil
        case .waiting: ring.requestFrames() ? nil : now
        case .playing(_, let time):
            time.advanced(
                bySeconds: late == nil ? min(period, format.seconds(FrameCount(ring.unread))) : period)
        }
    }

    mutating func takeEvents() -> [AudioOutputEvent] {
        defer { events = [] }
        return events
    }

    mutating func setGain(_ change: GainChange) {
        let isSilent = if case .playing = phase { false } else { true }
        renderer.gains.apply(change, from: renderer.cursor, isSilent: isSilent)
    }

    var remainingGains: StreamGains { renderer.remainingGains }

    mutating func setEffects(_ effects: EffectSettings) {
        let changed = EffectStage.changed(stage, to: effects, ring: ring)
        renderer.use(changed)
        stage = changed
    }

    mutating func setTap(_ tap: SoundTap?) {
        let begun = tap.map { (tap: $0, ring: $0.begin(format)) }
        renderer.use(begun?.ring)
        self.tap = begun
    }

    /// Renders the sound up to `time`.
    mutating func advance(to time: MonotonicTime) throws(AudioOutputError) {
        now = time
        switch phase {
        case .stopped, .drained: return
        case .waiting: resume()
        case .playing(let index, let start):
            let due = max(0, Int(clamping: time.seconds(since: start) * Double(format.sampleRate)))
            // Short items arrive one by one; each gets the full waiting time.
            if let late, late.end != ring.writeIndex { self.late = (ring.writeIndex, time) }
            stage?.padsEnd = isDraining || late.map { time.seconds(since: $0.since) >= Self.patience } ?? false
            let count = try render(due)
            var heard = start.advanced(bySeconds: format.seconds(FrameCount(count)))
            let waits = count < due && ring.unread > 0
            late = waits ? late ?? (ring.writeIndex, time) : nil
            if waits { heard = time }
            phase = .playing(index: index + FrameCount(count), time: heard)
            if let afterFade, renderer.isFadedOut || ring.unread == 0 {
                now = heard
                return try finishFade(afterFade)
            }
            if count < due || ring.unread == 0, time >= heard { runDry() }
        }
    }

    mutating func perform(_ command: StreamCommand) throws(AudioOutputError) {
        switch command {
        case .start(let fade, let beginsItem): try start(fade, beginsItem: beginsItem)
        case .pause(let fade):
            if beginFade(over: fade, before: .pause) { return }
            try fadeOut()
            paused()
        case .flush(let index, let fade):
            isDraining = false
            if case .drained = phase { phase = .stopped }
            if index > ring.readIndex, beginFade(over: fade, before: .flush(index)) { return }
            if case .pause = afterFade {
                try fadeOut(before: index)
                drop(before: index)
                return paused()
            }
            if index > ring.readIndex { return try flush(to: index, fadingIn: renderer.fadeFrames) }
            events.append(.flushed(generation))
            if case .waiting = phase { resume() }
        case .shift(let frames): try shift(by: frames)
        case .drain:
            isDraining = true
            if case .waiting = phase { runDry() }
        case .close: try fadeOut()
        case .splice(let splice): renderer.splice(splice, from: renderer.cursor)
        case .unmute: break
        }
    }

    private mutating func start(_ fade: Double, beginsItem: Bool) throws(AudioOutputError) {
        isDraining = false
        switch (phase, afterFade) {
        case (.playing, .flush): return
        case (.playing, .pause) where renderer.fadeIn(from: renderer.cursor, over: format.frames(fade)):
            afterFade = nil
            events.append(.started(generation))
        case (.playing, nil): events.append(.started(generation))
        case (.playing, .pause), (.stopped, _), (.drained, _):
            try fadeOut()
            renderer.settle()
            if beginsItem { beginItem() }
            phase = .waiting
            fallthrough
        case (.waiting, _):
            if fadeIn > 0 { fadeIn = max(fadeIn, format.frames(fade)) }
            resume()
        }
    }

    private mutating func beginItem() {
        fadeIn = 0
        renderer.beginItem()
        let renewed = EffectStage.renewed(stage, ring: ring)
        renderer.use(renewed)
        stage = renewed
        setTap(tap?.tap)
    }

    // MARK: Fading out

    /// Begins a long fade-out. False if it is short, during silence, or if one for another purpose is in progress: that one ends at
    /// once. One for the same purpose is only shortened.
    private mutating func beginFade(over seconds: Double, before next: AfterFade) -> Bool {
        guard case .playing = phase, format.frames(seconds) > renderer.fadeFrames else { return false }
        let limit: FrameCount
        switch (next, afterFade) {
        case (.pause, nil), (.pause, .pause): limit = .max
        case (.flush(let index), nil), (.flush(let index), .flush): limit = index
        case (.pause, .flush), (.flush, .pause): return false
        }
        renderer.fadeOut(from: renderer.cursor, limit: limit, over: format.frames(seconds))
        afterFade = next
        return true
    }

    private mutating func finishFade(_ next: AfterFade) throws(AudioOutputError) {
        afterFade = nil
        switch next {
        case .pause:
            try fadeOut()
            paused()
        case .flush(let index): try flush(to: index, fadingIn: format.frames(Self.fadeInOfAnother))
        }
    }

    private mutating func paused() {
        phase = .stopped
        events.append(.paused(generation))
    }

    /// Renders a short fade if sound is audible; then the clock stops.
    mutating func fadeOut(before index: FrameCount = .max) throws(AudioOutputError) {
        guard case .playing = phase else { return }
        phase = .waiting
        late = nil
        stage?.padsEnd = true
        renderer.fadeOut(from: renderer.cursor, limit: index)
        _ = try render(.max)
        fadeIn = renderer.fadeFrames
        if case .flush(let index) = afterFade { drop(before: index) }
        afterFade = nil
    }

    private mutating func flush(to index: FrameCount, fadingIn frames: FrameCount) throws(AudioOutputError) {
        try fadeOut(before: index)
        drop(before: index)
        fadeIn = frames
        if case .waiting = phase { resume() }
    }

    private mutating func shift(by frames: FrameCount) throws(AudioOutputError) {
        guard case .playing(let index, let start) = phase, afterFade == nil, !isDraining else { return }
        renderer.fadeOut(from: renderer.cursor, limit: .max)
        let faded = FrameCount(try render(.max))
        let left = ring.readIndex
        shiftedAt = max(shiftedAt, index + faded)
        renderer.shift(by: frames, spare: format.frames(Self.spare))
        phase = .playing(
            index: index + faded + ring.readIndex - left, time: start.advanced(bySeconds: format.seconds(faded)))
    }

    private mutating func drop(before index: FrameCount) {
        renderer.skip(to: index)
        events.append(.flushed(generation))
    }

    private mutating func resume() {
        if ring.unread > 0 {
            renderer.beginSegment(at: renderer.cursor, fadingIn: fadeIn)
            fadeIn = 0
            phase = .playing(index: ring.readIndex, time: now)
            events.append(.started(generation))
        } else if isDraining {
            runDry()
        }
    }

    private mutating func runDry() {
        guard ring.unread == 0 else { return }
        phase = isDraining ? .drained : .waiting
        events.append(isDraining ? .drained(generation) : .underrun(generation))
    }

    /// Renders up to `frames` frames into the sink; returns their number.
    private mutating func render(_ frames: Int) throws(AudioOutputError) -> Int {
        var done = 0
        while done < frames {
            let wanted = min(Self.chunk, frames - done)
            let count = buffer.withUnsafeMutableBufferPointer { buffer in
                buffer.baseAddress.map { renderer.produce(into: $0, frames: wanted) } ?? 0
            }
            if count == 0 { break }
            done += count
            try buffer.withUnsafeBufferPointer { buffer throws(AudioOutputError) in
                try sink.write(UnsafeBufferPointer(rebasing: buffer[..<(count * format.channelCount)]))
            }
        }
        return done
    }
}
