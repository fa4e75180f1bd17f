// SPDX-License-Identifier: Apache-2.0

import Audio
import Playback
import Testing
import Kernel

@testable import SoundFiles

@Suite struct PacedStreamTests {
    private final class MemorySink: PacedSink {
        let device = OutputDevice(id: "memory", description: "")
        func check() -> OutputAvailability { .available }
        func open(_ preferred: AudioFormat) -> AudioFormat { preferred }
        private(set) var written: [Float] = []
        func write(_ samples: UnsafeBufferPointer<Float>) { written += samples }
        func finish() {}
    }

    /// A mono stream.
    private func stream(
        sampleRate: Int, effects: EffectSettings = .off, sink: MemorySink = MemorySink(),
        onFrames: @escaping @Sendable () -> Void = {}
    ) -> PacedStream {
        PacedStream(
            AudioFormat(sampleRate: sampleRate, layout: .mono), Generation(1), gains: StreamGains(), effects: effects,
            sink: sink, onFrames: onFrames)
    }

    private func write(_ samples: [Float], into stream: PacedStream) {
        let lease = stream.ring.grant().lease
        _ = samples.withUnsafeBufferPointer { stream.ring.write($0, lease: lease) }
    }

    /// A stream that plays so many frames of level 1, at 8,000 a second.
    private func playing(_ frames: Int, to sink: MemorySink) throws -> PacedStream {
        var stream = stream(sampleRate: 8_000, sink: sink)
        write([Float](repeating: 1, count: frames), into: stream)
        try stream.perform(.start())
        return stream
    }

    @Test func emptyRing_causesNoWakeUps() throws {
        let came = Mailbox<Bool>()
        var stream = stream(sampleRate: 44_100) { came.post(true) }
        try stream.perform(.start(fade: 0))
        #expect(stream.wakeUp(period: 0.02) == nil)
        write([Float](repeating: 0, count: 10), into: stream)
        #expect(came.take(until: .now) == [true])
        // Frames that were written before the request.
        #expect(stream.wakeUp(period: 0.02) != nil)
        try stream.advance(to: .now)
        #expect(stream.clock.isAdvancing)
    }

    /// As in a new stream: nothing fades in, and effects and duckings have no past.
    @Test(arguments: [false, true], [false, true])
    func anItemAfterSilence_soundsAsInANewStream(isPaused: Bool, changesEffects: Bool) throws {
        var shaped = EffectSettings()
        shaped.isEnabled = true
        shaped.equalizer.isEnabled = true
        shaped.equalizer.bands = [.init(.lowShelf, frequency: 100, gain: 12, q: 0.7)]
        shaped.compressor.isEnabled = true
        let item = (0..<800).map { Float(($0 &* 7_919) % 1_000) / 1_000 }
        func play(_ stream: inout PacedStream, _ time: inout MonotonicTime) throws {
            write(item, into: stream)
            try stream.perform(.start(beginsItem: true))
            try stream.perform(.drain)
            for _ in 0..<10 {
                time = time.advanced(bySeconds: 0.02)
                try stream.advance(to: time)
            }
        }
        func sound(after past: (inout PacedStream, inout MonotonicTime) throws -> Void) throws -> [Float] {
            let sink = MemorySink()
            var stream = stream(sampleRate: 8_000, effects: shaped, sink: sink)
            var time = stream.clock.sampledAt
            try past(&stream, &time)
            stream.setEffects(changesEffects ? .off : shaped)
            let begin = sink.written.count
            try play(&stream, &time)
            return Array(sink.written[begin...])
        }
        let heard = try sound { stream, time in
            if !isPaused { return try play(&stream, &time) }
            write(item, into: stream)
            try stream.perform(.start())
            time = time.advanced(bySeconds: 0.02)
            try stream.advance(to: time)
            stream.setGain(.ducking(0.1, seconds: 5))
            time = time.advanced(bySeconds: 0.02)
            try stream.advance(to: time)
            stream.setGain(.ducking(1, seconds: 5))
            try stream.perform(.pause())
            try stream.perform(.flush(to: stream.ring.cut()))
        }
        #expect(try heard.count == 800 && heard == sound { _, _ in })
    }

    /// Row 288: the end of what was heard before is not in its first levels.
    @Test func theLevelsOfAnItemAfterSilence_areItsOwn() throws {
        var (stream, meter) = (stream(sampleRate: 8_000), SoundMeter())
        stream.setTap(meter.tap)
        var time = stream.clock.sampledAt
        for level: Float in [1, 0] {
            write([Float](repeating: level, count: 800), into: stream)
            try stream.perform(.start(beginsItem: true))
            try stream.perform(.drain)
            time = time.advanced(bySeconds: 0.04)
            try stream.advance(to: time)
            _ = meter.advance(stream.clock, now: time)
            let peaks = meter.channels(ofLast: 0.05).map(\.peak)
            #expect(!peaks.isEmpty && peaks.allSatisfy { ($0 == LevelHistory.silence) == (level == 0) })
            time = time.advanced(bySeconds: 0.1)
            try stream.advance(to: time)
        }
    }

    /// Row 290: a file output writes the same as a render job, even if each item takes a while to open.
    @Test func itemsOfOneFrame_soundAsIfWrittenAtOnce() throws {
        var effects = EffectSettings()
        effects.isEnabled = true
        effects.equalizer.isEnabled = true
        effects.equalizer.preamp = 6
        effects.limiter.isEnabled = true
        func render(_ portions: [Int]) throws -> [Float] {
            let sink = MemorySink()
            var stream = stream(sampleRate: 8_000, effects: effects, sink: sink)
            let lease = stream.ring.grant().lease
            try stream.perform(.start(fade: 0))
            var (time, frame) = (stream.clock.sampledAt, 0)
            for portion in portions {
                let samples = (frame..<frame + portion).map { Float(($0 &* 7_919) % 1_000) / 1_000 }
                frame += portion
                _ = samples.withUnsafeBufferPointer { stream.ring.write($0, lease: lease) }
                for _ in 0..<4 {
                    time = time.advanced(bySeconds: 0.02)
                    try stream.advance(to: time)
                }
            }
            return Array(sink.written.prefix(300))
        }
        #expect(try render([1, 1, 1, 1, 1, 1_000]) == render([1_005]))
    }

    /// It begins with the sound and halts with it. Neither the balance nor another stream moves it.
    @Test func aVolumeRamp_movesWithTheSound() throws {
        let sink = MemorySink()
        var stream = stream(sampleRate: 8_000, sink: sink)
        write([Float](repeating: 1, count: 16_000), into: stream)
        stream.setGain(.volume(0, seconds: 1))
        try stream.perform(.start())
        var time = stream.clock.sampledAt.advanced(bySeconds: 0.5)
        try stream.advance(to: time)
        try stream.perform(.pause())
        let (heard, before) = (sink.written.count, sink.written[3_900])
        time = time.advanced(bySeconds: 60)
        try stream.advance(to: time)
        stream.setGain(.balance(ChannelGains(0.5)))
        try stream.perform(.start())
        try stream.advance(to: time.advanced(bySeconds: 0.05))
        let after = try #require(sink.written.dropFirst(heard + 100).first)
        #expect(before > 0.4 && after < before / 2 && after > before / 2 - 0.05)
        let gain = stream.remainingGains.continued(from: 0, newRate: 16_000).product(at: 0).left
        #expect(abs(gain - 0.235) < 0.015)
    }

    /// A seek is no pause: the rise of an alarm goes on.
    @Test func aTimersRamp_goesOnAfterAFlush() throws {
        let sink = MemorySink()
        var stream = try playing(8_000, to: sink)
        var time = stream.clock.sampledAt
        func advance() throws {
            time = time.advanced(bySeconds: 0.1)
            try stream.advance(to: time)
        }
        try advance()
        stream.setGain(.timer(0, seconds: 10))
        try advance()
        try stream.perform(.flush(to: stream.ring.cut()))
        try stream.perform(.start())
        write([Float](repeating: 1, count: 8_000), into: stream)
        try advance()
        try advance()
        #expect(sink.written.last.map { $0 > 0.9 && $0 < 0.99 } == true)
    }

    /// A seek while a pause fades out ends the fade at once. The new frames, early or late, stay silent until the next start.
    @Test(arguments: [false, true]) func aFlushDuringALongPause_pausesAtOnce(isEarly: Bool) throws {
        let sink = MemorySink()
        var stream = try playing(8_000, to: sink)
        var time = stream.clock.sampledAt.advanced(bySeconds: 0.1)
        try stream.advance(to: time)
        try stream.perform(.pause(fade: 2))
        time = time.advanced(bySeconds: 0.1)
        try stream.advance(to: time)
        _ = stream.takeEvents()
        let cut = stream.ring.cut()
        if isEarly { write([Float](repeating: 1, count: 8_000), into: stream) }
        try stream.perform(.flush(to: cut))
        if !isEarly { write([Float](repeating: 1, count: 8_000), into: stream) }
        let silent = sink.written.count
        time = time.advanced(bySeconds: 0.1)
        try stream.advance(to: time)
        let isPaused = if case .paused = stream.takeEvents().last { true } else { false }
        #expect(isPaused)
        #expect(sink.written.count == silent && !stream.clock.isAdvancing && stream.clock.ringIndex == cut)
        try stream.perform(.start())
        try stream.advance(to: time.advanced(bySeconds: 0.1))
        #expect(sink.written.count == silent + 800)
    }

    /// A stop during a long pause fades out from the present gain.
    @Test func aShorterPause_shortensALongOne() throws {
        let sink = MemorySink()
        var stream = try playing(16_000, to: sink)
        var time = stream.clock.sampledAt
        for fade in [2, 0.5] {
            time = time.advanced(bySeconds: 0.2)
            try stream.advance(to: time)
            try stream.perform(.pause(fade: fade))
        }
        try stream.advance(to: time.advanced(bySeconds: 1))
        #expect(sink.written.count == 3_200 + 4_000 && !stream.clock.isAdvancing)
        #expect(zip(sink.written, sink.written.dropFirst()).allSatisfy { abs($0 - $1) < 0.001 })
    }

    /// Two skips within one fade: the item between them is not heard.
    @Test func aSecondFlush_letsTheFadeRun() throws {
        let sink = MemorySink()
        var stream = try playing(12_000, to: sink)
        let start = stream.clock.sampledAt
        for (seconds, level) in [(0.2, Float(0.5)), (0.4, 0.25)] {
            try stream.advance(to: start.advanced(bySeconds: seconds))
            try stream.perform(.flush(to: stream.ring.cut(), fade: 1))
            try stream.perform(.start())
            write([Float](repeating: level, count: 1_600), into: stream)
        }
        try stream.advance(to: start.advanced(bySeconds: 1.2))
        #expect(sink.written.count == 9_600)
        #expect(zip(sink.written, sink.written.dropFirst()).allSatisfy { abs($0 - $1) < 0.001 })
        try stream.advance(to: start.advanced(bySeconds: 1.3))
        #expect(sink.written.count == 10_400 && sink.written.last == 0.25)
    }

    /// Shifts keep a follower in step.
    @Test(arguments: [97, -97]) func aShift_isHeardFromThenOn(frames: FrameCount) throws {
        var stream = stream(sampleRate: 1_000)
        write([Float](repeating: 0, count: 1_500), into: stream)
        try stream.perform(.start(fade: 0))
        let start = stream.clock.sampledAt
        for step in 1...50 {
            let before = stream.clock
            if step == 25 { try stream.perform(.shift(by: frames)) }
            try stream.advance(to: start.advanced(bySeconds: 0.02 * Double(step)))
            #expect(stream.clock.ringIndex >= before.ringIndex && stream.clock.isAdvancing)
        }
        let clock = stream.clock
        let ahead = Double(clock.ringIndex) - clock.sampledAt.seconds(since: start) * 1_000
        #expect(abs(ahead - Double(frames)) <= 2, "\(ahead) frames ahead")
    }
}
