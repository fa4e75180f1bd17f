// SPDX-License-Identifier: Apache-2.0

internal import Audio
internal import Playback
internal import Threading
internal import Numbers

/// One stream of a `PacedOutput`: what is heard at which time.
struct PacedStream {
    let generation: Generation
    let ring: FrameRing

    /// Seconds of sound that a decode thread can be ahead.
    private static let ringSeconds = 2.0
    private static let chunk = 1_024

    private enum Phase {
        /// Not started, or paused.
        case stopped
        /// Running, but the ring is empty: goes on when frames come.
        case waiting
        /// Frame `index` is heard at `time`, the following ones at the sample rate.
        case playing(index: FrameCount, time: MonotonicTime)
        /// All was heard; waits for the next `start` or `flush`.
        case drained
    }

    private let format: AudioFormat
    private let sink: any PacedSink
    private var phase = Phase.stopped
    private var isDraining = false
    private var ramp: GainRamp
    /// Beside `ramp`.
    private var duckRamp: GainRamp
    /// Runs at the beginning of what is played after a pause or a flush.
    private var fadeIn: Fade?
    private var now = MonotonicTime.now
    private var buffer: [Float]
    private var events: [AudioOutputEvent] = []

    init(
        _ format: AudioFormat, _ generation: Generation, gains: ChannelGains, ducking: ChannelGains,
        continuing previous: PacedStream?, sink: any PacedSink, onFrames: @escaping @Sendable () -> Void
    ) {
        self.format = format
        self.generation = generation
        self.sink = sink
        ring = FrameRing(
            format: format, capacity: Int(format.frames(Self.ringSeconds)), retained: 0, onFrames: onFrames)
        ramp = GainRamp(layout: format.layout, gains: gains)
        duckRamp = GainRamp(layout: format.layout, gains: ducking)
        if let previous, previous.ramp.remaining > 0 {
            // A running gain ramp goes on in the new stream's frames.
            ramp = GainRamp(layout: format.layout, gains: previous.ramp.current)
            ramp.move(to: gains, frames: previous.ramp.remaining * format.sampleRate / previous.format.sampleRate)
        }
        buffer = [Float](repeating: 0, count: Self.chunk * format.channelCount)
    }

    var clock: OutputClock {
        if case .playing(let index, let time) = phase {
            return OutputClock(ringIndex: index, isAdvancing: true, sampledAt: time, latency: 0)
        }
        return OutputClock(ringIndex: ring.readIndex, isAdvancing: false, sampledAt: now, latency: 0)
    }

    /// When there is something to do without a command; nil when there is not. While the ring is empty, `onFrames` is called
    /// with the next frames.
    func wakeUp(period: Double) -> MonotonicTime? {
        switch phase {
        case .stopped, .drained: nil
        case .waiting: ring.askForFrames() ? nil : now
        case .playing(_, let time): time.advanced(bySeconds: min(period, format.seconds(FrameCount(ring.unread))))
        }
    }

    mutating func takeEvents() -> [AudioOutputEvent] {
        defer { events = [] }
        return events
    }

    mutating func move(to gains: ChannelGains, over seconds: Double) {
        ramp.move(to: gains, frames: max(Fade.frames(at: format.sampleRate), Int(format.frames(seconds))))
    }

    mutating func duck(to gains: ChannelGains, over seconds: Double) {
        guard case .playing = phase else {
            duckRamp = GainRamp(layout: format.layout, gains: gains)
            return
        }
        duckRamp.move(to: gains, frames: max(Fade.frames(at: format.sampleRate), Int(format.frames(seconds))))
    }

    /// Renders what was heard until `time`.
    mutating func advance(to time: MonotonicTime) throws(AudioOutputError) {
        now = time
        switch phase {
        case .stopped, .drained: return
        case .waiting: resume()
        case .playing(let index, let start):
            let due = max(0, Int(clamping: time.seconds(since: start) * Double(format.sampleRate)))
            let count = try render(due)
            let heard = start.advanced(bySeconds: format.seconds(FrameCount(count)))
            phase = .playing(index: index + FrameCount(count), time: heard)
            if count < due || ring.unread == 0, time >= heard { runDry() }
        }
    }

    mutating func perform(_ command: PacedLoop.StreamCommand) throws(AudioOutputError) {
        switch command {
        case .start:
            isDraining = false
            switch phase {
            case .playing: events.append(.started(generation))
            case .stopped, .waiting, .drained:
                phase = .waiting
                resume()
            }
        case .pause:
            try fadeOut()
            phase = .stopped
            events.append(.paused(generation))
        case .flush(let index): try flush(to: index)
        case .drain:
            isDraining = true
            if case .waiting = phase { runDry() }
        case .close: try fadeOut()
        }
    }

    /// Renders a short fade when sounding; the clock stands afterwards.
    mutating func fadeOut() throws(AudioOutputError) {
        try fadeOut(before: .max)
    }

    private mutating func fadeOut(before index: FrameCount) throws(AudioOutputError) {
        guard case .playing = phase else { return }
        phase = .waiting
        let frames = min(Fade.frames(at: format.sampleRate), ring.unread)
        let count = Int(min(FrameCount(frames), index - ring.readIndex))
        _ = try render(count, falling: Fade(.falling, frames: count))
        fadeIn = Fade(.rising, frames: Fade.frames(at: format.sampleRate))
    }

    private mutating func flush(to index: FrameCount) throws(AudioOutputError) {
        isDraining = false
        if case .drained = phase { phase = .stopped }
        if index > ring.readIndex {
            try fadeOut(before: index)
            ring.skip(to: index)
            fadeIn = Fade(.rising, frames: Fade.frames(at: format.sampleRate))
        }
        events.append(.flushed(generation))
        if case .waiting = phase { resume() }
    }

    private mutating func resume() {
        if ring.unread > 0 {
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

    /// Takes up to `frames` frames from the ring through fade and gains into the sink; how many there were.
    private mutating func render(_ frames: Int, falling: Fade? = nil) throws(AudioOutputError) -> Int {
        let channels = format.channelCount
        var falling = falling
        var done = 0
        while done < frames {
            let count = buffer.withUnsafeMutableBufferPointer { buffer in
                guard let samples = buffer.baseAddress else { return 0 }
                let count = ring.read(into: samples, frames: min(Self.chunk, frames - done))
                fadeIn?.apply(to: samples, frames: count, channels: channels)
                falling?.apply(to: samples, frames: count, channels: channels)
                ramp.apply(to: samples, frames: count)
                duckRamp.apply(to: samples, frames: count)
                return count
            }
            if count == 0 { break }
            done += count
            try write(count * channels)
        }
        if fadeIn?.isOver == true { fadeIn = nil }
        return done
    }

    private func write(_ count: Int) throws(AudioOutputError) {
        try buffer.withUnsafeBufferPointer { buffer throws(AudioOutputError) in
            try sink.write(UnsafeBufferPointer(rebasing: buffer[..<count]))
        }
    }
}
