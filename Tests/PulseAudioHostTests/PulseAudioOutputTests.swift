// SPDX-License-Identifier: Apache-2.0

import Audio
import Glibc
import OutputTesting
import Playback
import PulseAudioHost
import Testing
import Kernel

/// Against a real PulseAudio, at the monitor of a null sink. Serialized, as the tests share the sink.
@Suite(.serialized)
final class PulseAudioOutputTests {
    private static let rig = Result { try Rig() }

    struct Rig {
        let daemon: PulseDaemon
        let capture: MonitorCapture
        private(set) nonisolated(unsafe) static var daemon: PulseDaemon?  // because it is set once, before atexit

        init() throws {
            daemon = try PulseDaemon()
            // There is no hook at the end of all tests.
            Rig.daemon = daemon
            atexit { Rig.daemon?.remove() }
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

    @Test func keepsTheContract() throws {
        try checkContract { PulseAudioOutput(server: daemon.server) }
    }

    @Test(.realTime) func playsBitExactly_atTheSinksRate() throws {
        let noise = Noise(seconds: 1)
        let samples = noise.samples
        let mark = capture.count
        let ring = try driver.open()
        driver.send(.start())
        driver.feed(samples, ring, drains: true)
        try driver.wait("started")
        let first = try capture.firstSound(from: mark, within: 3)
        try driver.wait("drained")
        let heard = try capture.frames(from: first, count: noise.frames.count + 2000, within: 3)
        #expect(Array(heard[..<noise.frames.count]) == noise.frames)
        #expect(heard[noise.frames.count...].allSatisfy { $0 == .zero })
    }

    /// Whatever was heard in the stream before: an end or a pause, and a duck that had not ended.
    @Test(.realTime, arguments: [false, true]) func playsAnItemAfterSilenceBitExactly(isPaused: Bool) throws {
        let ring = try driver.open()
        driver.send(.start())
        driver.feed(Sine.samples(seconds: 1), ring, drains: !isPaused)
        try driver.wait("started")
        driver.output.perform(.setGain(.ducking(0.5, seconds: 0.1)))
        _ = try capture.frames(from: capture.count, count: 13_230, within: 3)
        driver.output.perform(.setGain(.ducking(1, seconds: 60)))
        if isPaused { driver.send(.pause()) }
        try driver.wait(isPaused ? "paused" : "drained")
        let noise = Noise(seconds: 0.5)
        driver.send(.flush(to: ring.cut()))
        try driver.wait("flushed")
        _ = try capture.frames(from: capture.count, count: 8_820, within: 3)
        let (mark, events) = (capture.count, driver.count)
        driver.send(.start(beginsItem: true))
        driver.feed(noise.samples, ring, drains: true)
        try driver.wait("drained", from: events)
        let first = try capture.firstSound(from: mark, within: 3)
        #expect(try capture.frames(from: first, count: noise.frames.count, within: 3) == noise.frames)
    }

    @Test(.realTime) func losesAndRepeatsNothing_acrossPauseAndStart() throws {
        let noise = Noise(seconds: 2, seed: 7)
        let (_, first) = try play(noise.samples, heard: 0.5)
        let events = driver.count
        driver.send(.pause())
        try driver.wait("paused", from: events)
        let silence = try capture.frames(from: capture.count, count: 8_820, within: 3)
        let heard = capture.frames(from: first)
        let length = heard.lastIndex { $0 != .zero }! + 1
        let resumeMark = capture.count
        let clock = driver.output.clock()
        #expect(silence.suffix(4_410).allSatisfy { $0 == .zero })
        #expect(!clock.isAdvancing)
        #expect(abs(Int(clock.ringIndex) - length) <= 1)
        #expect(Array(heard[..<(length - 250)]) == Array(noise.frames[..<(length - 250)]))
        driver.send(.start())
        let second = try capture.firstSound(from: resumeMark, within: 3)
        let rest = try capture.frames(from: second, count: 22_050, within: 3)
        // The fade-in's first frames round to silence, so the position comes from the clock.
        let offset = Int(clock.ringIndex)
        let shift = try #require((0..<20).first { rest[400] == noise.frames[offset + 400 + $0] })
        #expect(Array(rest[300..<20_000]) == Array(noise.frames[(offset + shift + 300)..<(offset + shift + 20_000)]))
    }

    /// Plays `samples` and waits until `seconds` of them were heard. Returns the index of the first frame heard.
    func play(_ samples: [Float], heard seconds: Double) throws -> (ring: FrameRing, first: Int) {
        let mark = capture.count
        let ring = try driver.start(samples)
        let first = try capture.firstSound(from: mark, within: 3)
        _ = try capture.frames(from: first, count: Int(seconds * 44_100), within: seconds + 3)
        return (ring, first)
    }

    @Test(.realTime) func changesToTheNewFramesWithinMilliseconds_whenFlushed() throws {
        let (old, new) = (Noise(seconds: 3, seed: 3), Noise(seconds: 1, seed: 4))
        let samples = new.samples
        let (ring, first) = try play(old.samples, heard: 0.4)
        let events = driver.count
        driver.send(.flush(to: ring.cut()))
        driver.feed(samples, ring, drains: true)
        let flushed = try driver.wait("flushed", from: events)
        try driver.wait("started", from: events)
        try driver.wait("drained", from: events)
        _ = try capture.frames(from: capture.count, count: 4_410, within: 3)
        let heard = capture.frames(from: first)
        let wanted = new.frames
        let place = (0..<heard.count - 1000).first { heard[$0] == wanted[500] && heard[$0 + 1] == wanted[501] }
        let start = try #require(place) - 500
        #expect(heard[(start + 300)..<(start + wanted.count)].elementsEqual(wanted[300...]))
        #expect(heard[(start + wanted.count)...].allSatisfy { $0 == .zero })
        // The old frames end with the fade.
        let before = start - 230
        #expect(heard[..<(before - 2500)].elementsEqual(old.frames[..<(before - 2500)]))
        #expect(capture.arrival(of: first + start)!.seconds(since: flushed) < 0.03)
    }

    /// Frames that arrive while others are written wait for nothing.
    @Test(.realTime) func leavesNoGap_whileFramesArriveInSmallPieces() throws {
        let (ring, _) = try play(Noise(seconds: 3).samples, heard: 0.3)
        for seed in 2..<10 {
            let new = Noise(seconds: 1, seed: UInt64(seed))
            let (samples, wanted, events, mark) = (new.samples, new.frames, driver.count, capture.count)
            driver.send(.flush(to: ring.cut()))
            driver.feed(samples, ring, framesAtOnce: 32)
            try driver.wait("started", from: events)
            _ = try capture.frames(from: capture.count, count: 13_230, within: 3)
            let heard = capture.frames(from: mark)
            let place = heard.indices.dropLast().first { heard[$0] == wanted[500] && heard[$0 + 1] == wanted[501] }
            let end = try #require(place) - 500 + 8_820
            #expect(heard[(end - 8_320)..<end].elementsEqual(wanted[500..<8_820]))
        }
    }

    @Test func reportsAnUnderrunAndRecovers() throws {
        let (ring, _) = try play(Noise(seconds: 0.3, seed: 5).samples, heard: 0.2)
        try driver.wait("underrun")
        let clock = driver.output.clock()
        #expect(clock.ringIndex == 13_230)
        #expect(!clock.isAdvancing)
        let events = driver.count
        let mark = capture.count
        driver.feed(Noise(seconds: 0.3, seed: 6).samples, ring, drains: true)
        _ = try capture.firstSound(from: mark, within: 2)
        try driver.wait("started", from: events)
        try driver.wait("drained", from: events)
        #expect(driver.output.clock().ringIndex == 26_460)
        #expect(driver.all.filter { $0.name == "underrun" }.count == 1)
    }

    /// The timing of a dry stream is requested every 50 ms.
    @Test func reportsShortSounds_betweenTwoAnswers() throws {
        let (ring, _) = try play(Noise(seconds: 0.3, seed: 5).samples, heard: 0.2)
        try driver.wait("underrun")
        for seed in 6..<11 {
            // Long enough for requests to be rare.
            _ = try capture.frames(from: capture.count, count: 17_640 + 441 * seed, within: 3)
            let events = driver.count
            driver.feed(Noise(seconds: 0.01, seed: UInt64(seed)).samples, ring)
            try driver.wait("started", from: events)
            try driver.wait("underrun", from: events)
        }
        #expect(driver.output.clock().ringIndex == 13_230 + 5 * 441)
    }

    @Test func clockFollowsTheSound() throws {
        let (_, first) = try play(Noise(seconds: 3, seed: 8).samples, heard: 0.3)
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
        #expect(worst < 0.06, "\(worst) s")
    }

    @Test(.realTime) func changesGainsSmoothlyAndSoon() throws {
        let noise = Noise(seconds: 3, seed: 9)
        let (_, first) = try play(noise.samples, heard: 0.3)
        driver.output.perform(.setGain(.balance(ChannelGains(left: 0.5, right: 0, other: 0.5))))
        let mark = capture.count
        let heard = Array(try capture.frames(from: first, count: mark - first + 12_000, within: 3))
        let late = heard.count - 1_000
        let isScaled = (late..<heard.count).allSatisfy { index in
            abs(Int(heard[index].x) - Int(noise.frames[index].x) / 2) <= 1 && heard[index].y == 0
        }
        #expect(isScaled)
        let changed = try #require(heard.indices.first { heard[$0] != noise.frames[$0] })
        #expect(changed + first - mark < 3_000, "\(changed + first - mark) frames")
    }

    /// SPEC 284, 292: queued sound is rendered again, without a step above -60 dB.
    @Test(.realTime) func changesEffectsSmoothlyAndSoon() throws {
        let (_, first) = try play(Sine.samples(seconds: 4), heard: 0.5)
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
        #expect(Sine.largestStep(capture.frames(from: first)) < 0.0005)
        // The level has changed by a tenth within 0.1 s of the sink's time, plus the machine's response time.
        let changed = (asked[0]..<asked[1] - 100).first { start in
            (heard[start..<start + 100].map(abs).max() ?? 0) < 0.9 * 0.25
        }
        #expect(try #require(changed) - asked[0] < 8_820)
    }

    /// SPEC 279: a start during a long fade-out continues from the gain reached. Then a pause and a flush end in silence.
    @Test(.realTime) func fadesLongPausesAndFlushes_withoutAStep() throws {
        let sine = Sine.samples(seconds: 5)
        let (ring, first) = try play(sine, heard: 0.3)
        func hear(_ seconds: Double) throws {
            _ = try capture.frames(from: capture.count, count: Int(seconds * 44_100), within: seconds + 4)
        }
        var events = driver.count
        driver.send(.pause(fade: 1))
        try hear(0.6)
        driver.send(.start(fade: 0.5))
        try driver.wait("started", from: events)
        #expect(!driver.all[events...].contains { $0.name == "paused" })
        try hear(0.6)
        let levels = capture.frames(from: first).map { abs(Int($0.x)) }
        #expect((levels.suffix(4_410).max() ?? 0) > 8_180)
        let lowest = stride(from: 1_000, to: levels.count - 200, by: 100).map { levels[$0..<$0 + 200].max() ?? 0 }.min()
        #expect(try #require(lowest) > 500 && (lowest ?? 0) < 7_000)
        events = driver.count
        driver.send(.pause(fade: 0.4))
        try driver.wait("paused", from: events)
        try hear(0.1)
        #expect(capture.frames(from: capture.count - 2_000).allSatisfy { $0 == .zero })
        events = driver.count
        driver.send(.start(fade: 0.4))
        try driver.wait("started", from: events)
        try hear(0.6)
        events = driver.count
        let index = ring.cut()
        driver.send(.flush(to: index, fade: 0.4))
        driver.feed(sine, ring)
        try driver.wait("flushed", from: events)
        try driver.wait("started", from: events)
        try hear(0.3)
        #expect((capture.frames(from: capture.count - 4_410).map { abs(Int($0.x)) }.max() ?? 0) > 8_180)
        #expect(Sine.largestStep(capture.frames(from: first)) < 0.0005)
        _ = ring.cut()
    }

    /// The frames after a flush wait for the next start.
    @Test(.realTime) func playsNothingNew_whenPausedWhileAFlushFadesOut() throws {
        let (ring, _) = try play(Sine.samples(seconds: 1), heard: 0.2)
        let (events, index) = (driver.count, ring.cut())
        driver.send(.flush(to: index, fade: 0.4))
        driver.send(.start())
        driver.feed(Noise(seconds: 0.5).samples, ring)
        driver.send(.pause(fade: 2))
        try driver.wait("paused", from: events)
        #expect(driver.output.clock().ringIndex == index)
    }

    @Test(.realTime) func fades_whenItIsShutDown() throws {
        let (_, first) = try play(Sine.samples(seconds: 2), heard: 0.3)
        driver.output.shutdown()
        let silence = try capture.frames(from: capture.count, count: 8_820, within: 3)
        #expect(silence.suffix(4_410).allSatisfy { $0 == .zero })
        // A cut would be a step of 0.25.
        #expect(Sine.largestStep(capture.frames(from: first)) < 0.002)
    }

    @Test func endsPromptly_forTinyStreams() throws {
        let (threads, descriptors) = (Rig.threads, Rig.descriptors)
        for number in UInt64(1)...500 {
            let events = driver.count
            let ring = try driver.open(number)
            if number.isMultiple(of: 2) { driver.feed([0.1, 0.1], ring) }
            driver.send(.start(), number)
            if number.isMultiple(of: 3) {
                driver.send(.drain, number)
                try driver.wait("drained", number, from: events, within: 2)
            }
            driver.send(.close, number)
            try driver.wait("closed", number, from: events, within: 3)
        }
        #expect(daemon.pactl("list", "short", "sink-inputs").isEmpty)
        #expect(Rig.threads <= threads + 1)
        #expect(Rig.descriptors <= descriptors + 2)
    }

    @Test func sleeps_whilePausedOrIdle() throws {
        let playing = try play(Noise(seconds: 4, seed: 13).samples, heard: 1)
        let thread = try #require(Rig.thread(named: "pulse"))
        let start = Rig.switches(thread)
        _ = try capture.frames(from: playing.first + 44_100, count: 44_100, within: 4)
        let perSecond = Rig.switches(thread) - start
        #expect(perSecond < 40, "\(perSecond) switches")
        let events = driver.count
        driver.send(.pause())
        try driver.wait("paused", from: events)
        _ = try capture.frames(from: capture.count, count: 22_050, within: 3)
        let quiet = Rig.switches(thread)
        _ = try capture.frames(from: capture.count, count: 66_150, within: 5)
        #expect(Rig.switches(thread) - quiet <= 1)
    }
}
