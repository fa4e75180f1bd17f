// SPDX-License-Identifier: Apache-2.0

import Audio
import PlaybackTesting
import Testing

@testable import Playback

struct EffectStageTests {
    /// Decision 0053, invariants 1 to 3 and 5. 10,000 rounds were run in a release build.
    @Test(arguments: 1...10) func portionsAndStepsBackChangeNoBit(seed: UInt64) {
        var random = Signal(seed: seed)
        func below(_ limit: Int) -> Int { Int(random.value(0...Double(limit) - 0.001)) }
        let first = below(2) == 0 ? EffectSettings.off : .random(&random)
        let (one, other) = (RenderedSide(first), RenderedSide(first))
        // Frames before the last change are at the sink and are not rendered again.
        var changedAt = 0
        for _ in 0..<8 {
            let frames = below(900) + 1
            while Int(one.ring.writeIndex - one.ring.readIndex) < frames + 400 {
                one.write(300)
                other.write(300)
            }
            let end = one.position + frames
            one.render(frames) { 1 + below(300) }
            while other.position < end {
                other.render(min(end - other.position, 1 + below(400))) { 1 + below(300) }
                guard below(3) == 0 else { continue }
                let before = other.heard
                other.stepBack(min(below(1_500), other.position - changedAt))
                other.render(before.count / 2 - other.position) { 1 + below(200) }
                let isEqual = other.heard == before
                #expect(isEqual)
            }
            let isEqual = one.heard == other.heard
            #expect(isEqual)
            switch below(4) {
            case 0:
                let back = min(below(1_200), one.position - changedAt)
                let settings = EffectSettings.random(&random)
                for side in [one, other] {
                    side.stepBack(back)
                    side.set(settings)
                }
                changedAt = one.position
            case 1:
                for side in [one, other] { side.flush() }
                changedAt = one.position
            default: break
            }
        }
        #expect(one.heard.allSatisfy { $0.isFinite })
    }

    /// Invariant 4.
    @Test func nothingOnEqualsTheDecode_andSoDoesWhatIsSwitchedOffAgain() {
        let side = RenderedSide(sampleRate: 8_000, capacity: 6_000, retained: 2_000)
        side.write(3_000)
        side.render(1_000)
        #expect(side.stage == nil)
        side.set(.equalized())
        #expect(side.stage != nil)
        side.render(1_000)
        let (before, behind) = (
            side.heard[..<2_000] == side.source[..<2_000], side.heard[3_000..<4_000] == side.source[3_000..<4_000]
        )
        #expect(before && !behind)
        side.set(.off)
        // The limiter needs 1.4 s to recover.
        for _ in 0..<16 {
            side.write(1_000)
            side.render(1_000)
        }
        let end = side.heard.count
        let isTheDecode = side.heard[(end - 4_000)...] == side.source[(end - 4_000)..<end]
        #expect(isTheDecode)
        #expect(side.stage?.isSpent == true)
        side.set(.off)
        #expect(side.stage == nil)
    }

    @Test func aNewRunIsTheSameAsANewStream() {
        let (fresh, flushed) = (RenderedSide(.equalized()), RenderedSide(.equalized()))
        flushed.write(1_000)
        flushed.render(500)
        flushed.flush()
        fresh.write(1_000)
        fresh.flush()
        for side in [fresh, flushed] {
            side.write(1_000)
            side.render(1_000)
        }
        #expect(fresh.heard.suffix(2_000) == flushed.heard.suffix(2_000))
        #expect(fresh.heard.count == 2_000)
    }

    /// The look-ahead of the last 191 frames is incomplete.
    @Test(arguments: [1, 63, 64, 65, 127, 128, 191, 192, 200]) func theEndIsHeard(frames: Int) {
        let side = RenderedSide(.equalized(gain: 24))
        side.write(frames)
        #expect(side.render(1_000) == frames)
        // More frames arrive: those that the sink has not taken are rendered again, with their successors.
        side.write(1_000)
        side.rewindPadded(to: 0)
        side.render(frames - side.position)
        let whole = RenderedSide(.equalized(gain: 24))
        whole.write(frames)
        whole.write(1_000)
        whole.render(frames)
        let isEqual = side.heard == whole.heard
        side.render(500)
        whole.render(500)
        let goesOn = side.heard == whole.heard
        #expect(isEqual && goesOn)
    }

    @Test func theEndWaits_whenItMayNotBePadded() {
        let side = RenderedSide(.equalized())
        side.stage?.padsEnd = false
        side.write(640)
        #expect(side.render(1_000) == 512)
        side.stage?.padsEnd = true
        #expect(side.render(1_000) == 128)
    }

    @Test func framesThatComeOneByOneAreEachHeardOnce() {
        let side = RenderedSide(.equalized())
        for _ in 0..<300 {
            side.write(1)
            #expect(side.render(10) == 1)
        }
        #expect(side.position == 300 && side.heard.allSatisfy { $0.isFinite })
    }

    @Test func noFrameAfterTheLimitOfAFadeIsUsed() {
        let (one, other) = (RenderedSide(.equalized(gain: 24)), RenderedSide(.equalized(gain: 24)))
        for side in [one, other] {
            side.write(300)
            side.render(64)
        }
        // Later frames belong to another place: loud in one side, missing in the other.
        one.write(500)
        for side in [one, other] { side.fadeOut(limit: 300) }
        #expect(one.heard == other.heard && one.position == 104)
    }

    // MARK: Delay and reverb

    @Test func aDelayedSoundIsTheSame_onlyLater() {
        let side = RenderedSide(.on { $0.delay = 100 })
        side.write(4_000)
        side.render(3_000) { 77 }
        #expect(side.heard[..<1_600].allSatisfy { $0 == 0 })
        #expect(Array(side.heard[1_600...]) == Array(side.source[..<(2 * 3_000 - 1_600)]))
    }

    @Test func aDelayThatIsSwitchedOnAndOff_fadesOver_andIsExactBehindIt() {
        let side = RenderedSide(sampleRate: 8_000, capacity: 6_000, retained: 2_000)
        side.write(5_900)
        side.render(1_000)
        side.set(.on { $0.delay = 50 })
        side.render(1_000)
        // 40 ms of crossfade, then 50 ms without stored frames.
        let delayed = side.heard[2 * 1_800..<2 * 2_000]
        let source = side.source[2 * 1_400..<2 * 1_600]
        #expect(delayed.elementsEqual(source))
        side.set(.off)
        side.render(3_000)
        let after = side.heard[2 * 2_400..<side.heard.count]
        #expect(after.elementsEqual(side.source[after.indices]))
        #expect(side.stage?.isEngaged == false)
    }

    @Test func reverbAddsATail_andWithoutItEverythingIsExactAgain() {
        let side = RenderedSide(
            .on { $0.reverb.isEnabled = true }, sampleRate: 8_000, capacity: 6_000, retained: 2_000, level: 0.3)
        side.write(5_900)
        side.render(2_000)
        let dry = side.source[..<4_000]
        #expect(!side.heard.elementsEqual(dry))
        side.set(.off)
        side.render(3_500)
        let after = side.heard[2 * 2_500..<side.heard.count]
        #expect(after.elementsEqual(side.source[after.indices]))
        #expect(side.stage?.isEngaged == false)
    }

    // MARK: Loudness

    private func loudness(_ change: (inout EffectSettings.Loudness) -> Void = { _ in }) -> EffectSettings {
        .on {
            $0.loudness.mode = .track
            change(&$0.loudness)
        }
    }

    @Test func aTracksGainHoldsFromItsFirstFrameOn_withoutTheChainWhenItIsQuieter() {
        let side = RenderedSide(loudness())
        side.write(500, TrackLoudness(trackGain: -6))
        side.write(1, TrackLoudness(trackGain: -12))
        side.write(500, TrackLoudness(trackGain: 0))
        side.render(1_001)
        func expected(_ range: Range<Int>, _ decibels: Double) -> [Float] {
            let factor = loudness().loudness.factor(for: TrackLoudness(trackGain: decibels), inAlbum: false)
            return side.source[range].map { $0 * factor }
        }
        #expect(Array(side.heard[..<1_000]) == expected(0..<1_000, -6))
        #expect(Array(side.heard[1_000..<1_002]) == expected(1_000..<1_002, -12))
        #expect(Array(side.heard[1_002...]) == expected(1_002..<2_002, 0))
        #expect(side.stage?.isEngaged == false)
    }

    @Test func aLouderTrackIsKeptFromClipping() {
        let side = RenderedSide(loudness(), sampleRate: 48_000, capacity: 20_000)
        side.write(4_000, TrackLoudness(trackGain: 12))
        side.render(3_000)
        #expect(side.stage?.isEngaged == true)
        #expect(side.heard.allSatisfy { abs($0) <= 1 })
        #expect(side.heard.contains { abs($0) > 0.5 })
    }

    @Test func aTrackWhosePeakIsKnown_isNotLimited() {
        let side = RenderedSide(loudness(), level: 0.5)
        side.write(1_000, TrackLoudness(trackGain: 12, trackPeak: 0.5))
        side.render(1_000)
        let isDoubled = side.heard == side.source.map { $0 * 2 }
        #expect(isDoubled && side.stage?.isEngaged == false)
    }

    @Test func aChangeOfTheLoudnessMovesSmoothly_andStepsBackGiveTheSame() {
        let side = RenderedSide(loudness(), level: 0.1)
        side.write(4_000, TrackLoudness(trackGain: -6))
        side.render(500)
        side.set(loudness { $0.preamp = -6 })
        side.render(200)
        side.set(loudness { $0.preamp = 6 })
        side.render(1_000)
        let before = side.heard
        side.stepBack(900)
        side.render(900)
        #expect(side.heard == before)
        let gains = (0..<side.position).map { side.heard[2 * $0] / side.source[2 * $0] }
        let steps = zip(gains, gains.dropFirst()).map { abs($0 - $1) }.filter { $0.isFinite }
        // A smooth step of 320 frames from -12 dB to 0 dB.
        #expect(steps.allSatisfy { $0 < 0.004 })
        #expect(abs(gains[499] - 0.501) < 0.001 && abs(gains[side.position - 1] - 1) < 0.001)
    }
}
