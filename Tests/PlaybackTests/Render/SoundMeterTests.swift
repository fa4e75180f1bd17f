// SPDX-License-Identifier: Apache-2.0

import Audio
import Kernel
import Testing

@testable import Playback

/// A stream of 8 kHz whose sink is this test.
struct SoundMeterTests {
    let format = AudioFormat(sampleRate: 8_000, layout: .stereo)
    let ring: FrameRing
    let lease: FrameRing.Lease

    init() {
        ring = FrameRing(format: format, capacity: 16_000, retained: 4_000)
        lease = ring.grant().lease
    }

    private func write(_ value: Float, _ frames: Int) {
        let samples = [Float](repeating: value, count: frames * 2)
        _ = samples.withUnsafeBufferPointer { ring.write($0, lease: lease) }
    }

    private func render(_ renderer: inout StreamRenderer, _ frames: Int) {
        var samples = [Float](repeating: 0, count: frames * 2)
        _ = samples.withUnsafeMutableBufferPointer { renderer.produce(into: $0.baseAddress!, frames: frames) }
    }

    private func clock(_ index: FrameCount) -> OutputClock {
        OutputClock(ringIndex: index, isAdvancing: false, sampledAt: MonotonicTime(nanoseconds: 0), latency: 0)
    }

    private func peak(_ meter: SoundMeter) -> Double { meter.channels(ofLast: 0.05).map(\.peak).max() ?? 0 }

    @Test func measuresWhatIsHeard_beforeTheVolume_notWhatIsRenderedAhead() {
        var meter = SoundMeter()
        let tap = meter.tap.begin(format)
        let quiet = ChannelGains(left: 0.01, right: 0.01, other: 0.01)
        var renderer = StreamRenderer(ring: ring)
        renderer.gains.volume = StreamGainRamp(quiet)
        renderer.use(tap)
        write(0.5, 800)
        write(0.25, 800)
        render(&renderer, 1_600)
        let behind = meter.advance(clock(800), now: .now)
        #expect(behind.map { $0 < 0.005 } == true)
        #expect(abs(peak(meter) + 6.02) < 0.01)
        _ = meter.advance(clock(1_600), now: .now)
        #expect(abs(peak(meter) + 12.04) < 0.01)
        withExtendedLifetime(tap) {}
    }

    /// Frames are rendered again, for example, with a new equaliser while they wait in the sink.
    @Test func hasNoLevel_beforeTheFirstBlock_andFramesRenderedAgainReplaceTheOldOnes() {
        var meter = SoundMeter()
        let tap = meter.tap.begin(format)
        tap.write([Float](repeating: 0.5, count: 3_200), at: 0, frames: 1_600)
        #expect(meter.advance(clock(20), now: .now) == nil)
        #expect(meter.advance(clock(60), now: .now) != nil && abs(peak(meter) + 6.02) < 0.01)
        tap.write([Float](repeating: 0.25, count: 1_600), at: 800, frames: 800)
        _ = meter.advance(clock(1_600), now: .now)
        #expect(abs(peak(meter) + 12.04) < 0.01)
    }

    /// A seek: the loud frames were rendered, but never heard.
    @Test func skippedFramesAreNotMeasured() {
        var meter = SoundMeter()
        let tap = meter.tap.begin(format)
        var renderer = StreamRenderer(ring: ring)
        renderer.use(tap)
        write(0.1, 800)
        write(1, 800)
        render(&renderer, 1_600)
        _ = meter.advance(clock(800), now: .now)
        renderer.rewind(to: 800)
        renderer.skip(to: 1_600)
        renderer.beginSegment(at: 900, fadingIn: renderer.fadeFrames)
        write(0.1, 800)
        render(&renderer, 800)
        _ = meter.advance(clock(2_400), now: .now)
        #expect(meter.channels(ofLast: 1).allSatisfy { abs($0.peak + 20) < 0.01 })
        withExtendedLifetime(tap) {}
    }

    @Test func samplesThatAreNoNumbersCountAsSilence() {
        var meter = SoundMeter()
        let tap = meter.tap.begin(format)
        tap.write([Float](repeating: .nan, count: 1_600), at: 0, frames: 800)
        _ = meter.advance(clock(800), now: .now)
        #expect(peak(meter) == -160 && meter.shortTermLoudness == -160)
        tap.write([Float](repeating: 0.5, count: 1_600), at: 800, frames: 800)
        _ = meter.advance(clock(1_600), now: .now)
        #expect(abs(peak(meter) + 6.02) < 0.01 && meter.shortTermLoudness > -60)
        let bands = meter.spectrum(bands: 32)
        #expect(bands?.allSatisfy { $0.isFinite } == true)
    }

    /// A late reader loses only overwritten frames. There is no level before the stream starts.
    @Test func aReaderThatFallsBehind_continuesWithTheRest() {
        var meter = SoundMeter()
        let without = meter.advance(clock(0), now: .now)
        let tap = meter.tap.begin(format)
        let before = meter.advance(clock(0), now: .now)
        #expect(without == nil && before == nil)
        for piece in 0..<10 {
            tap.write([Float](repeating: 0.5, count: 8_000), at: FrameCount(piece * 4_000), frames: 4_000)
        }
        let past = meter.advance(clock(100), now: .now)
        let present = meter.advance(clock(40_000), now: .now)
        #expect(past == nil && present != nil)
        #expect(abs(peak(meter) + 6.02) < 0.01)
    }
}
