// SPDX-License-Identifier: Apache-2.0

import Audio
import Testing

@testable import Playback

/// Rendering at scripted indices. 8 kHz: 5 ms are 40 frames.
struct StreamRendererTests {
    let ring = FrameRing(format: AudioFormat(sampleRate: 8000, layout: .stereo), capacity: 4000, retained: 2000)

    /// A ring of `frames` frames of value 1, 2, 3 ... / 1000 and a renderer on it.
    /// The first `produced` of them are rendered already.
    func renderer(frames: Int, gains: ChannelGains = .unity, produced: Int = 0) -> StreamRenderer {
        append(1...frames)
        var renderer = StreamRenderer(ring: ring)
        renderer.gains.balance = StreamGainRamp(gains)
        renderer.beginSegment(at: 0, fadingIn: 0)
        if produced > 0 { _ = produce(&renderer, produced) }
        return renderer
    }

    func append(_ values: ClosedRange<Int>) {
        let samples = values.flatMap { [Float($0), Float($0)] }
        let lease = ring.grant().lease
        _ = samples.withUnsafeBufferPointer { ring.write($0, lease: lease) }
    }

    /// The left channel of the produced frames.
    func produce(_ renderer: inout StreamRenderer, _ frames: Int) -> [Float] {
        var samples = [Float](repeating: -1, count: frames * 2)
        let count = samples.withUnsafeMutableBufferPointer { renderer.produce(into: $0.baseAddress!, frames: frames) }
        return (0..<count).map { samples[$0 * 2] }
    }

    @Test func rendersRingFramesUntouched_atUnityGain() {
        var renderer = renderer(frames: 100)
        #expect(produce(&renderer, 60) == (1...60).map(Float.init))
        #expect(produce(&renderer, 60) == (61...100).map(Float.init))
        #expect(produce(&renderer, 60).isEmpty)
        #expect(renderer.map.place(at: 30) == .init(ringIndex: 30, isInside: true, boundary: 100))
        #expect(renderer.map.place(at: 100) == .init(ringIndex: 100, isInside: false, boundary: nil))
    }

    /// A segment that begins later than the frames before it ended is an underrun; a shift leaves no silence.
    @Test func silenceBetweenTwoSegments_isFound() {
        var map = SegmentMap()
        map.append(StreamSegment(start: 0, frames: 100, ringStart: 0))
        map.append(StreamSegment(start: 100, frames: 50, ringStart: 500))
        map.append(StreamSegment(start: 160, frames: 50, ringStart: 550))
        #expect(map.hasSilence(from: 90, to: 160) && map.hasSilence(from: 150, to: 400))
        #expect(!map.hasSilence(from: 0, to: 159) && !map.hasSilence(from: 151, to: 400))
    }

    @Test func duckingIsMultipliedWithTheOtherGains_andEndsUntouched() {
        var renderer = renderer(frames: 3_000, gains: ChannelGains(left: 0.5, right: 1, other: 1))
        renderer.gains.timer = StreamGainRamp(ChannelGains(0.5))
        renderer.gains.apply(.ducking(0.5, seconds: 0.1), from: 100, isSilent: false)
        let heard = produce(&renderer, 3_000)
        #expect(heard[50] == 51 * 0.25 && heard[2_000] == 2_001 * 0.125)
        // Halfway along the line, which lags by 18 ms.
        #expect(abs(heard[644] / 645 - 0.25 * 0.75) < 0.001)
        renderer.rewind(to: 2_900)
        renderer.gains = StreamGains()
        #expect(produce(&renderer, 100) == (2_901...3_000).map(Float.init))
    }

    @Test func everyPositionFollowsItsSide_andUnityLeavesTheBitsAlone() {
        let layout = ChannelLayout(positions: [
            .frontLeft, .frontRight, .frontCenter, .lowFrequency, .sideLeft, .rearRight,
        ])
        let ring = FrameRing(format: AudioFormat(sampleRate: 8000, layout: layout), capacity: 8, retained: 0)
        let lease = ring.grant().lease
        let frame: [Float] = [0.1, -.leastNonzeroMagnitude, 1.5, -0.0, .nan, 1]
        _ = (frame + [1, 1, 1, 1, 1, 1]).withUnsafeBufferPointer { ring.write($0, lease: lease) }
        var renderer = StreamRenderer(ring: ring)
        var heard = [Float](repeating: 0, count: 6)
        #expect(renderer.produce(into: &heard, frames: 1) == 1)
        #expect(heard.map(\.bitPattern) == frame.map(\.bitPattern))
        renderer.gains.balance = StreamGainRamp(ChannelGains(left: 2, right: 3, other: 5))
        #expect(renderer.produce(into: &heard, frames: 1) == 1)
        #expect(heard == [2, 3, 5, 5, 2, 3])
    }

    @Test func fadesOutThenCoversTheQueueWithSilence() {
        var renderer = renderer(frames: 1000, produced: 400)
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
        var renderer = renderer(frames: 1000, produced: 400)
        renderer.fadeOut(from: 100, limit: 800)
        _ = produce(&renderer, 1000)
        renderer.skip(to: 800)
        renderer.beginSegment(at: renderer.cursor, fadingIn: renderer.fadeFrames)
        let heard = produce(&renderer, 1000)
        #expect(heard[0] == 0)
        #expect(heard[40] == 841)
        #expect(renderer.map.place(at: 139).ringIndex == 139)
        #expect(renderer.map.place(at: 150).ringIndex == 810)
        // A rewind does not go back before the flush.
        renderer.rewind(to: 0)
        #expect(renderer.cursor == 140 && ring.readIndex == 800)
    }

    /// Frames within the effects' look-ahead of 192 frames are neither replaced nor rendered again.
    @Test(arguments: [(500, true), (292, true), (291, false)])
    func aSpliceReplacesWhatWasRendered_butNotWithinTheLookAhead(index: Int, isInTime: Bool) {
        var renderer = renderer(frames: 1000, produced: 800)
        let splice = RingSplice(at: FrameCount(index), [Float](repeating: -1, count: 200), ring.grant().lease)
        renderer.splice(splice, from: 100)
        #expect(splice.answer(by: .now) == (isInTime ? .done : .notBefore(992)))
        #expect(renderer.cursor == (isInTime ? 100 : 800))
        let expected =
            isInTime ? (101...index).map(Float.init) + [Float](repeating: -1, count: 100) : (801...1000).map(Float.init)
        #expect(
            produce(&renderer, 1000).elementsEqual(expected + [Float](repeating: 0, count: isInTime ? 700 - index : 0)))
    }

    @Test func usesNoFrameAfterTheLimit_forAFade() {
        var renderer = renderer(frames: 1000, produced: 400)
        renderer.fadeOut(from: 100, limit: 110)
        _ = produce(&renderer, 1000)
        #expect(ring.readIndex == 110)
    }

    @Test func inTheNextStream_onlyARampOfTheVolumeMoves() {
        var renderer = renderer(frames: 3_600, produced: 400)
        renderer.gains.apply(.volume(0.5, seconds: 0), from: 400, isSilent: false)
        renderer.gains.apply(.balance(.silence), from: 400, isSilent: false)
        #expect(renderer.remainingGains.product(at: 0) == .silence)
        renderer.gains.apply(.balance(.unity), from: 400, isSilent: false)
        #expect(renderer.remainingGains.product(at: 0) == ChannelGains(0.5))
        renderer.gains.apply(.volume(0, seconds: 0.4), from: 400, isSilent: false)
        let next = renderer.remainingGains
        #expect(next.product(at: 0).left > 0.4 && next.product(at: 8_000) == .silence)
    }

    @Test func movesGainsAlongALine_fromTheRewrittenIndexOn() {
        var renderer = renderer(frames: 3_600, produced: 400)
        renderer.rewind(to: 100)
        renderer.gains.apply(.volume(0, seconds: 0.2), from: 100, isSilent: false)
        let gains = produce(&renderer, 3_500).enumerated().map { $1 / Float(101 + $0) }
        #expect(gains[0] == 1)
        // The line, which lags by 18 ms.
        for frame in stride(from: 600, to: 1_600, by: 100) {
            #expect(abs(gains[frame] - (1 - Float(frame - 144) / 1_600)) < 0.002)
        }
        #expect(gains[2_700...].allSatisfy { $0 == 0 })
    }

    @Test func leavesAGap_whenFramesComeLate() {
        var renderer = renderer(frames: 100, produced: 200)
        append(101...200)
        renderer.beginSegment(at: 150, fadingIn: 0)
        #expect(produce(&renderer, 200) == (101...200).map(Float.init))
        #expect(renderer.map.place(at: 120) == .init(ringIndex: 100, isInside: false, boundary: 150))
        #expect(renderer.map.place(at: 160) == .init(ringIndex: 110, isInside: true, boundary: 250))
    }

    @Test func coversWithSilenceOnly_whileFramesAreHeld() {
        var renderer = renderer(frames: 1000, produced: 400)
        renderer.skip(to: 800)
        renderer.beginSegment(at: 100, fadingIn: 0)
        renderer.holdsFrames = true
        #expect(renderer.hasFrames && renderer.unreadFrames == 200)
        #expect(produce(&renderer, 1000) == [Float](repeating: 0, count: 300))
        renderer.holdsFrames = false
        renderer.continueSegment()
        #expect(produce(&renderer, 200) == (801...1000).map(Float.init))
        #expect(renderer.map.place(at: 100).ringIndex == 800)
    }

    /// A ring of ones, so that the samples are the gain.
    func ones(_ frames: Int, produced: Int = 0) -> StreamRenderer {
        let samples = [Float](repeating: 1, count: frames * 2)
        let lease = ring.grant().lease
        _ = samples.withUnsafeBufferPointer { ring.write($0, lease: lease) }
        var renderer = StreamRenderer(ring: ring)
        renderer.beginSegment(at: 0, fadingIn: 0)
        if produced > 0 { _ = produce(&renderer, produced) }
        return renderer
    }

    static func largestStep(_ gains: [Float]) -> Float {
        zip(gains, gains.dropFirst()).map { abs($0 - $1) }.max() ?? 0
    }

    @Test func aLongFade_goesOnBeingRendered_andEndsInSilence() {
        var renderer = ones(3600)
        let before = produce(&renderer, 200)
        renderer.fadeOut(from: 100, limit: .max, over: 2400)
        var heard = Array(before[..<100])
        while !renderer.isFadedOut { heard += produce(&renderer, 300) }
        #expect(renderer.cursor == 2500 && ring.readIndex == 2500)
        #expect(heard[100] == 1 && heard[1300] == 0.5 && heard[2499] < 0.001)
        #expect(Self.largestStep(heard) < 0.001)
        let silence = produce(&renderer, 100)
        #expect(silence.isEmpty)
    }

    @Test(arguments: [200, 900, 1700, 2300] as [FrameCount])
    func aFadeThatIsTakenBack_risesFromTheGainReached(at index: FrameCount) {
        var renderer = ones(4000, produced: 100)
        renderer.fadeOut(from: 100, limit: .max, over: 2400)
        let heard = produce(&renderer, 2100)
        let cut = min(index, renderer.cursor)
        let isTakenBack = renderer.fadeIn(from: index, over: 1600)
        #expect(isTakenBack)
        let rest = produce(&renderer, 4000)
        let gains = heard[..<Int(cut - 100)] + rest
        #expect(Self.largestStep(Array(gains)) < 0.001)
        #expect(rest.last == 1 && rest[0] == StreamFade(from: 1, to: 0, start: 100, length: 2400).gain(at: cut))
    }

    @Test func aShorterFadeTakesOver_andALongerOneDoesNot() {
        var renderer = ones(4000, produced: 1500)
        renderer.fadeOut(from: 100, limit: .max, over: 2400)
        renderer.fadeOut(from: 200, limit: .max, over: 3000)
        #expect(renderer.fadeOutEnd == 2500)
        _ = produce(&renderer, 900)
        renderer.fadeOut(from: 1000, limit: 1300)
        #expect(renderer.fadeOutEnd == 1040)
        let rest = produce(&renderer, 4000)
        #expect(rest[0] == StreamFade(from: 1, to: 0, start: 100, length: 2400).gain(at: 1000))
        #expect(rest[40...].allSatisfy { $0 == 0 } && Self.largestStep(rest) < 0.04)
        // Too late to cancel.
        let isTakenBack = renderer.fadeIn(from: 1010, over: 100)
        #expect(!isTakenBack)
    }

    @Test func aFadeBeforeOtherFrames_usesNoneOfThem_andIsNotTakenBack() {
        var renderer = ones(1000, produced: 200)
        renderer.fadeOut(from: 100, limit: 700, over: 2400)
        renderer.fadeOut(from: 150, limit: .max, over: 560)
        #expect(renderer.fadeOutEnd == 700)
        let isTakenBack = renderer.fadeIn(from: 200, over: 100)
        let rest = produce(&renderer, 4000)
        #expect(!isTakenBack && Self.largestStep(rest) < 0.003)
        #expect(ring.readIndex == 700)
    }
}
