// SPDX-License-Identifier: Apache-2.0

import Audio
import Testing

@testable import PulseAudioHost

/// On scripted read indices; 1 kHz mono-like stereo, so that 5 ms are 5 frames.
struct StreamRendererTests {
    let ring = FrameRing(format: AudioFormat(sampleRate: 8000, layout: .stereo), capacity: 4000, retained: 2000)

    /// A ring of `frames` frames of value 1, 2, 3 ... / 1000 and a renderer on it.
    func renderer(frames: Int, gains: ChannelGains = .unity) -> StreamRenderer {
        append(1...frames)
        return StreamRenderer(ring: ring, ramp: StreamGainRamp(gains))
    }

    func append(_ values: ClosedRange<Int>) {
        let samples = values.flatMap { [Float($0), Float($0)] }
        let lease = ring.grant().lease
        _ = samples.withUnsafeBufferPointer { ring.write($0, lease: lease) }
    }

    /// The left channel of what `produce` gives.
    func produce(_ renderer: inout StreamRenderer, _ frames: Int) -> [Float] {
        var samples = [Float](repeating: -1, count: frames * 2)
        let count = samples.withUnsafeMutableBufferPointer { renderer.produce(into: $0.baseAddress!, frames: frames) }
        return (0..<count).map { samples[$0 * 2] }
    }

    @Test func rendersRingFramesUntouched_atUnityGain() {
        var renderer = renderer(frames: 100)
        renderer.beginSegment(at: 0, fadingIn: false)
        #expect(produce(&renderer, 60) == (1...60).map(Float.init))
        #expect(produce(&renderer, 60) == (61...100).map(Float.init))
        #expect(produce(&renderer, 60).isEmpty)
        #expect(renderer.map.place(at: 30) == .init(ringIndex: 30, isInside: true, boundary: 100))
        #expect(renderer.map.place(at: 100) == .init(ringIndex: 100, isInside: false, boundary: nil))
    }

    @Test func duckingIsMultipliedWithTheGains_andEndsUntouched() {
        var renderer = renderer(frames: 300, gains: ChannelGains(left: 0.5, right: 1, other: 1))
        let half = ChannelGains(left: 0.5, right: 0.5, other: 0.5)
        renderer.ducking = StreamGainRamp(from: .unity, to: half, start: 100, length: 100)
        renderer.beginSegment(at: 0, fadingIn: false)
        let heard = produce(&renderer, 300)
        #expect(heard[50] == 51 * 0.5 && heard[250] == 251 * 0.25)
        #expect(abs(heard[150] - 151 * 0.5 * 0.75) < 0.01)
        renderer.rewind(to: 250)
        renderer.ramp = StreamGainRamp(.unity)
        renderer.ducking = StreamGainRamp(.unity)
        #expect(produce(&renderer, 50) == (251...300).map(Float.init))
    }

    @Test func fadesOutThenCoversTheQueueWithSilence() {
        var renderer = renderer(frames: 1000)
        renderer.beginSegment(at: 0, fadingIn: false)
        _ = produce(&renderer, 400)
        renderer.fadeOut(from: 100, limit: .max)
        #expect(renderer.writeIndex == 100)
        let heard = produce(&renderer, 1000)
        #expect(heard.count == 300)
        #expect(heard[0] == 101)
        #expect(heard[20] < 121 && heard[20] > 50)
        #expect(heard[40...].allSatisfy { $0 == 0 })
        #expect(renderer.cursor == 140)
        #expect(ring.readIndex == 140)
        #expect(!renderer.hasFrames)
    }

    @Test func goesOnBehindTheFade_afterAFlush() {
        var renderer = renderer(frames: 1000)
        renderer.beginSegment(at: 0, fadingIn: false)
        _ = produce(&renderer, 400)
        renderer.fadeOut(from: 100, limit: 800)
        _ = produce(&renderer, 1000)
        renderer.skip(to: 800)
        renderer.beginSegment(at: renderer.cursor, fadingIn: true)
        let heard = produce(&renderer, 1000)
        #expect(heard[0] == 0)
        #expect(heard[40] == 841)
        #expect(renderer.map.place(at: 139).ringIndex == 139)
        #expect(renderer.map.place(at: 150).ringIndex == 810)
        // No way back before the flush.
        renderer.rewind(to: 0)
        #expect(renderer.cursor == 140 && ring.readIndex == 800)
    }

    @Test func usesNoFrameBehindTheLimit_forAFade() {
        var renderer = renderer(frames: 1000)
        renderer.beginSegment(at: 0, fadingIn: false)
        _ = produce(&renderer, 400)
        renderer.fadeOut(from: 100, limit: 110)
        _ = produce(&renderer, 1000)
        #expect(ring.readIndex == 110)
    }

    @Test func movesGainsLinearly_fromTheRewrittenIndexOn() {
        var renderer = renderer(frames: 1000)
        renderer.beginSegment(at: 0, fadingIn: false)
        _ = produce(&renderer, 400)
        renderer.rewind(to: 100)
        renderer.ramp = StreamGainRamp(from: .unity, to: .silence, start: 100, length: 100)
        let heard = produce(&renderer, 300)
        #expect(heard[0] == 101)
        #expect(abs(heard[50] - 151 * 0.5) < 0.01)
        #expect(heard[100...].allSatisfy { $0 == 0 })
    }

    @Test func leavesAGap_whenFramesComeLate() {
        var renderer = renderer(frames: 100)
        renderer.beginSegment(at: 0, fadingIn: false)
        _ = produce(&renderer, 200)
        append(101...200)
        renderer.beginSegment(at: 150, fadingIn: false)
        #expect(produce(&renderer, 200) == (101...200).map(Float.init))
        #expect(renderer.map.place(at: 120) == .init(ringIndex: 100, isInside: false, boundary: 150))
        #expect(renderer.map.place(at: 160) == .init(ringIndex: 110, isInside: true, boundary: 250))
    }

    @Test func coversWithSilenceOnly_whileFramesAreHeld() {
        var renderer = renderer(frames: 1000)
        renderer.beginSegment(at: 0, fadingIn: false)
        _ = produce(&renderer, 400)
        renderer.skip(to: 800)
        renderer.beginSegment(at: 100, fadingIn: false)
        renderer.holdsFrames = true
        #expect(renderer.hasFrames && renderer.unreadFrames == 200)
        #expect(produce(&renderer, 1000) == [Float](repeating: 0, count: 300))
        renderer.holdsFrames = false
        renderer.continueSegment()
        #expect(produce(&renderer, 200) == (801...1000).map(Float.init))
        #expect(renderer.map.place(at: 100).ringIndex == 800)
    }
}
