// SPDX-License-Identifier: Apache-2.0

import Audio
import Glibc
import Playback
import PulseAudioHost
import Testing
import Kernel

/// Against a real PulseAudio, at the monitor of a null sink. Serial: they share the sink.
@Suite(.serialized)
final class PulseAudioOutputTests {
    private static let rig = Result { try Rig() }

    struct Rig {
        let daemon: PulseDaemon
        let capture: MonitorCapture
        private nonisolated(unsafe) static var daemon: PulseDaemon?  // because it is set once, before atexit

        init() throws {
            daemon = try PulseDaemon()
            // Tests have no end of their own to hang it on.
            Rig.daemon = daemon
            atexit { try? Rig.daemon?.remove() }
            capture = try MonitorCapture(daemon)
        }
    }

    let daemon: PulseDaemon
    let capture: MonitorCapture
    let driver: OutputDriver

    init() throws {
        let rig = try Self.rig.get()
        daemon = rig.daemon
        capture = rig.capture
        driver = OutputDriver(daemon)
        try driver.waitAvailable()
    }

    deinit { driver.output.shutdown() }

    @Test func playsBitExactly_atTheSinksRate() throws {
        let noise = Noise(seconds: 1)
        let samples = noise.samples
        let mark = capture.count
        let began = MonotonicTime.now
        let ring = try driver.open(1)
        driver.output.perform(.stream(.start(), Generation(1)))
        Noise.feed(samples, ring, lease: ring.grant().lease) { [driver] in
            driver.output.perform(.stream(.drain, Generation(1)))
        }
        let started = try driver.waitStarted(1, from: 0)
        let first = try capture.firstSound(from: mark, within: 3)
        print(
            "play to monitor", capture.arrival(of: first)!.seconds(since: began), "started",
            started.seconds(since: began))
        try driver.waitDrained(1, from: 0)
        let heard = try capture.frames(from: first, count: noise.frames.count + 2000, within: 3)
        #expect(Array(heard[..<noise.frames.count]) == noise.frames)
        #expect(heard[noise.frames.count...].allSatisfy { $0 == .zero })
    }

    @Test func losesAndRepeatsNothing_acrossPauseAndStart() throws {
        let noise = Noise(seconds: 2, seed: 7)
        let mark = capture.count
        let ring = try driver.open(1)
        noise.feed(ring, lease: ring.grant().lease)
        driver.output.perform(.stream(.start(), Generation(1)))
        let first = try capture.firstSound(from: mark, within: 3)
        _ = try capture.frames(from: first, count: 22_050, within: 3)
        let events = driver.count
        let asked = MonotonicTime.now
        driver.output.perform(.stream(.pause(), Generation(1)))
        let paused = try driver.waitPaused(1, from: events)
        let quiet = capture.count
        let silence = try capture.frames(from: quiet, count: 8_820, within: 3)
        let heard = capture.frames(from: first)
        let length = heard.lastIndex { $0 != .zero }! + 1
        let resumeMark = capture.count
        let clock = driver.output.clock()
        print(
            "pause to paused", paused.seconds(since: asked), "to silence",
            capture.arrival(of: first + length)!.seconds(since: asked), "clock", clock, "heard", length)
        #expect(silence.suffix(4_410).allSatisfy { $0 == .zero })
        #expect(!clock.isAdvancing)
        #expect(abs(Int(clock.ringIndex) - length) <= 1)
        #expect(Array(heard[..<(length - 250)]) == Array(noise.frames[..<(length - 250)]))
        let resumed = MonotonicTime.now
        driver.output.perform(.stream(.start(), Generation(1)))
        let second = try capture.firstSound(from: resumeMark, within: 3)
        print("resume to monitor", capture.arrival(of: second)!.seconds(since: resumed))
        let rest = try capture.frames(from: second, count: 22_050, within: 3)
        // The fade-in's first frames round to silence, so the position comes from the clock.
        let offset = Int(clock.ringIndex)
        let shift = (0..<20).first { rest[400] == noise.frames[offset + 400 + $0] }
        #expect(shift != nil)
        if let shift {
            #expect(
                Array(rest[300..<20_000]) == Array(noise.frames[(offset + shift + 300)..<(offset + shift + 20_000)]))
        }
    }

    /// Plays `noise` and waits until `seconds` of it were heard. Returns the first heard frame's index.
    func play(_ noise: Noise, _ driver: OutputDriver, _ number: UInt64, heard seconds: Double) throws -> (
        ring: FrameRing, first: Int
    ) {
        let mark = capture.count
        let ring = try driver.open(number)
        noise.feed(ring, lease: ring.grant().lease)
        driver.output.perform(.stream(.start(), Generation(number)))
        let first = try capture.firstSound(from: mark, within: 3)
        _ = try capture.frames(from: first, count: Int(seconds * 44_100), within: seconds + 3)
        return (ring, first)
    }

    @Test func changesToTheNewFramesWithinMilliseconds_whenFlushed() throws {
        let old = Noise(seconds: 3, seed: 3)
        let (ring, first) = try play(old, driver, 1, heard: 0.4)
        let new = Noise(seconds: 1, seed: 4).samples
        let events = driver.count
        let index = ring.cut()
        driver.output.perform(.stream(.flush(to: index), Generation(1)))
        let asked = MonotonicTime.now
        Noise.feed(new, ring, lease: ring.grant().lease) { [driver] in
            driver.output.perform(.stream(.drain, Generation(1)))
        }
        let flushed = try driver.waitFlushed(1, from: events)
        try driver.waitStarted(1, from: events)
        try driver.waitDrained(1, from: events)
        _ = try capture.frames(from: capture.count, count: 4_410, within: 3)
        let heard = capture.frames(from: first)
        let wanted = Noise(seconds: 1, seed: 4).frames
        let place = (0..<heard.count - 1000).first { heard[$0] == wanted[500] && heard[$0 + 1] == wanted[501] }
        let start = try #require(place) - 500
        print(
            "flush to flushed", flushed.seconds(since: asked), "to new sound",
            capture.arrival(of: first + start)!.seconds(since: asked))
        #expect(heard[(start + 300)..<(start + wanted.count)].elementsEqual(wanted[300...]))
        #expect(heard[(start + wanted.count)...].allSatisfy { $0 == .zero })
        // Old frames are there up to the fade and nothing of them after it.
        let before = start - 230
        #expect(heard[..<(before - 2500)].elementsEqual(old.frames[..<(before - 2500)]))
        #expect(capture.arrival(of: first + start)!.seconds(since: flushed) < 0.03)
    }

    @Test func tellsAnUnderrunAndRecovers() throws {
        let noise = Noise(seconds: 0.3, seed: 5)
        let (ring, first) = try play(noise, driver, 1, heard: 0.2)
        let underrun = try driver.wait("underrun") { if case .underrun = $0 { true } else { nil } }.time
        let clock = driver.output.clock()
        #expect(clock.ringIndex == 13_230)
        #expect(!clock.isAdvancing)
        let events = driver.count
        let mark = capture.count
        let again = MonotonicTime.now
        let more = Noise(seconds: 0.3, seed: 6)
        let samples = more.samples
        Noise.feed(samples, ring, lease: ring.grant().lease) { [driver] in
            driver.output.perform(.stream(.drain, Generation(1)))
        }
        let second = try capture.firstSound(from: mark, within: 2)
        print(
            "refill to sound", capture.arrival(of: second)!.seconds(since: again), "underrun late by",
            underrun.seconds(since: capture.arrival(of: first + 13_229)!))
        try driver.waitStarted(1, from: events)
        try driver.waitDrained(1, from: events)
        #expect(driver.output.clock().ringIndex == 26_460)
        let underruns = driver.all.filter { if case .underrun = $0 { true } else { false } }
        #expect(underruns.count == 1)
    }

    /// The server is asked every 50 ms whether a dry stream moves.
    @Test func tellsWhatIsHeard_betweenTwoAnswers() throws {
        let (ring, _) = try play(Noise(seconds: 0.3, seed: 5), driver, 1, heard: 0.2)
        try driver.wait("underrun") { if case .underrun = $0 { true } else { nil } }
        for seed in 6..<11 {
            // Long enough for the server to be asked seldom.
            _ = try capture.frames(from: capture.count, count: 17_640 + 441 * seed, within: 3)
            let events = driver.count
            Noise.feed(Noise(seconds: 0.01, seed: UInt64(seed)).samples, ring, lease: ring.grant().lease) {}
            try driver.waitStarted(1, from: events)
            try driver.wait("underrun", from: events) { if case .underrun = $0 { true } else { nil } }
        }
        #expect(driver.output.clock().ringIndex == 13_230 + 5 * 441)
    }

    @Test func followsWhatIsHeard_withItsClock() throws {
        let (_, first) = try play(Noise(seconds: 3, seed: 8), driver, 1, heard: 0.3)
        var last: FrameCount = 0
        var worst = 0.0
        for step in 1...20 {
            _ = try capture.frames(from: first + 13_230 + step * 2_205, count: 1, within: 2)
            let clock = driver.output.clock()
            #expect(clock.isAdvancing)
            #expect(clock.ringIndex > last)
            last = clock.ringIndex
            let captured = capture.count - first
            worst = max(worst, abs(Double(captured) - Double(clock.ringIndex)) / 44_100)
        }
        print("clock against capture, worst", worst)
        #expect(worst < 0.06)
    }

    @Test func changesGainsSmoothlyAndSoon() throws {
        let noise = Noise(seconds: 3, seed: 9)
        let (_, first) = try play(noise, driver, 1, heard: 0.3)
        driver.output.perform(.setGains(ChannelGains(left: 0.5, right: 0, other: 0.5), seconds: 0))
        let mark = capture.count
        let heard = Array(try capture.frames(from: first, count: mark - first + 12_000, within: 3))
        let late = heard.count - 1_000
        let isScaled = (late..<heard.count).allSatisfy { index in
            abs(Int(heard[index].x) - Int(noise.frames[index].x) / 2) <= 1 && heard[index].y == 0
        }
        #expect(isScaled)
        let changed = try #require(heard.indices.first { heard[$0] != noise.frames[$0] })
        print("gain change after", Double(changed + first - mark) / 44_100)
        #expect(changed + first - mark < 3_000)
    }

    /// SPEC 284, 292: what waits in the sink is rendered again, with no step above -60 dB.
    @Test func changesEffectsSmoothlyAndSoon() throws {
        let turn = 2 * Double.pi * 441 / 44_100
        let sine = (0..<44_100 * 4).flatMap { index in
            let sample = Float(sin(turn * Double(index)) / 4)
            return [sample, sample]
        }
        let mark = capture.count
        let ring = try driver.open(1)
        Noise.feed(sine, ring, lease: ring.grant().lease)
        driver.output.perform(.stream(.start(), Generation(1)))
        let first = try capture.firstSound(from: mark, within: 3)
        _ = try capture.frames(from: first, count: 22_050, within: 4)
        var asked: [Int] = []
        for gain in [-12.0, 6, 0] {
            var effects = EffectSettings()
            effects.isEnabled = gain != 0
            effects.equalizer.isEnabled = true
            effects.equalizer.bands = [EffectSettings.Band(.peak, frequency: 441, gain: gain, q: 1)]
            driver.output.perform(.setEffects(effects))
            asked.append(capture.count - first)
            _ = try capture.frames(from: capture.count, count: 22_050, within: 4)
        }
        let heard = capture.frames(from: first).map { Double($0.x) / 32_768 }
        func level(_ end: Int) -> Double { heard[(end - 4_400)..<end].map { $0 * $0 }.reduce(0, +) / 4_400 }
        let levels = [asked[0], asked[1], asked[2], heard.count].map { 10 * log10(level($0)) }
        #expect(abs(levels[1] - levels[0] + 12) < 0.1 && abs(levels[2] - levels[0] - 6) < 0.1)
        #expect(abs(levels[3] - levels[0]) < 0.01)
        // A sine's next sample follows from the two before; what does not is a step. The fade-in is over after 5 ms.
        let steps = heard.indices.dropFirst(1_000).map { index in
            abs(heard[index] - 2 * cos(turn) * heard[index - 1] + heard[index - 2])
        }
        #expect((steps.max() ?? 0) < 0.0005)
        // The level has changed by a tenth within 0.1 s of the sink's time and what the machine took to answer.
        let changed = (asked[0]..<asked[1] - 100).first { start in
            (heard[start..<start + 100].map(abs).max() ?? 0) < 0.9 * 0.25
        }
        print("effects change after", Double((changed ?? 0) - asked[0]) / 44_100)
        #expect(try #require(changed) - asked[0] < 8_820)
    }

    /// SPEC 279: a pause that fades is taken back from the gain reached; then it ends in silence, and so does a flush.
    @Test func fadesLongPausesAndFlushes_withoutAStep() throws {
        let turn = 2 * Double.pi * 441 / 44_100
        let sine = (0..<44_100 * 5).flatMap { index in
            let sample = Float(sin(turn * Double(index)) / 4)
            return [sample, sample]
        }
        let mark = capture.count
        let ring = try driver.open(1)
        Noise.feed(sine, ring, lease: ring.grant().lease)
        driver.output.perform(.stream(.start(), Generation(1)))
        let first = try capture.firstSound(from: mark, within: 3)
        func hear(_ seconds: Double) throws {
            _ = try capture.frames(from: capture.count, count: Int(seconds * 44_100), within: seconds + 4)
        }
        func largestStep() -> Double {
            let heard = capture.frames(from: first).map { Double($0.x) / 32_768 }
            return heard.indices.dropFirst(1_000).map { index in
                abs(heard[index] - 2 * cos(turn) * heard[index - 1] + heard[index - 2])
            }.max() ?? 0
        }
        try hear(0.3)
        var events = driver.count
        driver.output.perform(.stream(.pause(fade: 1), Generation(1)))
        try hear(0.6)
        driver.output.perform(.stream(.start(fade: 0.5), Generation(1)))
        try driver.waitStarted(1, from: events)
        #expect(!driver.all[events...].contains { if case .paused = $0 { true } else { false } })
        try hear(0.6)
        let levels = capture.frames(from: first).map { abs(Int($0.x)) }
        #expect((levels.suffix(4_410).max() ?? 0) > 8_180)
        let lowest = stride(from: 1_000, to: levels.count - 200, by: 100).map { levels[$0..<$0 + 200].max() ?? 0 }.min()
        #expect(try #require(lowest) > 500 && (lowest ?? 0) < 7_000)
        events = driver.count
        driver.output.perform(.stream(.pause(fade: 0.4), Generation(1)))
        try driver.waitPaused(1, from: events)
        try hear(0.1)
        #expect(capture.frames(from: capture.count - 2_000).allSatisfy { $0 == .zero })
        events = driver.count
        driver.output.perform(.stream(.start(fade: 0.4), Generation(1)))
        try driver.waitStarted(1, from: events)
        try hear(0.6)
        events = driver.count
        let index = ring.cut()
        driver.output.perform(.stream(.flush(to: index, fade: 0.4), Generation(1)))
        Noise.feed(sine, ring, lease: ring.grant().lease)
        try driver.waitFlushed(1, from: events)
        try driver.waitStarted(1, from: events)
        try hear(0.3)
        #expect((capture.frames(from: capture.count - 4_410).map { abs(Int($0.x)) }.max() ?? 0) > 8_180)
        #expect(largestStep() < 0.0005)
        _ = ring.cut()
    }

    @Test func endsPromptly_forTinyStreams() throws {
        let (threads, descriptors) = (Rig.threads, Rig.descriptors)
        for number in UInt64(1)...500 {
            let events = driver.count
            let ring = try driver.open(number)
            if number.isMultiple(of: 2) { Noise.feed([0.1, 0.1], ring, lease: ring.grant().lease) }
            driver.output.perform(.stream(.start(), Generation(number)))
            if number.isMultiple(of: 3) {
                driver.output.perform(.stream(.drain, Generation(number)))
                try driver.waitDrained(number, from: events, within: 2)
            }
            driver.output.perform(.stream(.close, Generation(number)))
            try driver.waitClosed(number, from: events)
        }
        #expect(daemon.pactl("list", "short", "sink-inputs").isEmpty)
        #expect(Rig.threads <= threads + 1)
        #expect(Rig.descriptors <= descriptors + 2)
    }

    @Test func sleeps_whilePausedOrIdle() throws {
        let playing = try play(Noise(seconds: 4, seed: 13), driver, 1, heard: 1)
        let thread = try #require(Rig.thread(named: "pulse"))
        let start = Rig.switches(thread)
        let ticks = Rig.processorTime(thread)
        _ = try capture.frames(from: playing.first + 44_100, count: 44_100, within: 4)
        let perSecond = Rig.switches(thread) - start
        print(
            "switches per second playing", perSecond, "CPU s per minute",
            Double(Rig.processorTime(thread) - ticks) * 60e-9)
        #expect(perSecond < 40)
        let events = driver.count
        driver.output.perform(.stream(.pause(), Generation(1)))
        try driver.waitPaused(1, from: events)
        _ = try capture.frames(from: capture.count, count: 22_050, within: 3)
        let quiet = Rig.switches(thread)
        _ = try capture.frames(from: capture.count, count: 66_150, within: 5)
        print("switches paused in 1.5 s", Rig.switches(thread) - quiet)
        #expect(Rig.switches(thread) - quiet <= 1)
    }
}
