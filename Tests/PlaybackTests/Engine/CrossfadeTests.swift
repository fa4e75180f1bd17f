// SPDX-License-Identifier: Apache-2.0

import Audio
import Kernel
import PlaybackTesting
import Testing

@testable import Playback

/// The sound of two overlapping items, frame by frame, with real decode threads (SPEC row 278).
@Suite(.timeLimit(.minutes(10))) struct CrossfadeTests {
    private static let rate = 44_100

    private static func script(
        _ seconds: Double, base: Float, tags: MediaDescription.Tags = MediaDescription.Tags(), isHeld: Bool = false,
        openError: MediaError? = nil, failure: (frame: FrameCount, error: MediaError)? = nil
    ) -> ScriptedOpener.Script {
        ScriptedOpener.Script(
            frames: FrameCount(seconds * Double(rate)), base: base, step: 1e-6, openError: openError, failure: failure,
            isHeld: isHeld, tags: tags)
    }

    /// The samples of a whole item.
    private static func samples(_ seconds: Double, base: Float) -> [Float] {
        (0..<Int(seconds * Double(rate))).map { base + Float($0) * 1e-6 }
    }

    private static func mixed(_ left: [Float], _ next: [Float], seconds: Double) -> [Float] {
        let frames = Int(seconds * Double(rate))
        let rising = CrossfadeCurve(.rising, start: 0, frames: FrameCount(frames))
        let falling = CrossfadeCurve(.falling, start: 0, frames: FrameCount(frames))
        let border = left.count - frames
        let overlap = (0..<frames).map {
            falling.gain(at: FrameCount($0)) * left[border + $0] + rising.gain(at: FrameCount($0)) * next[$0]
        }
        return left[..<border] + overlap + next[frames...]
    }

    private static func isEqual(_ one: [Float], _ other: [Float]) -> Bool {
        one.count == other.count && zip(one, other).allSatisfy { abs($0 - $1) < 1e-5 }
    }

    private static func begins(_ heard: [Float], with samples: [Float], frames: Int) -> Bool {
        heard.prefix(frames).elementsEqual(samples.prefix(frames))
    }

    private static func ends(_ heard: [Float], with samples: [Float], frames: Int) -> Bool {
        heard.suffix(frames).elementsEqual(samples.suffix(frames))
    }

    private static func started(
        _ scripts: [String: ScriptedOpener.Script], crossfade: Double, buffering: DecodeBuffering = DecodeBuffering()
    ) throws -> PlayerRig {
        let rig = PlayerRig(scripts, buffering: buffering)
        _ = try rig.perform(.apply(.with { $0.crossfade = crossfade })).get()
        rig.add(scripts.keys.sorted(), play: true)
        return rig
    }

    /// Time passes slowly while at most `reserve` frames wait, unless the last item plays: the threads get as much time
    /// as with a real sink.
    private static func play(
        _ rig: PlayerRig, reserve: Int = 24_000, until condition: (PlayerRig) -> Bool
    ) -> Bool {
        var next = MonotonicTime.now
        return rig.play(
            while: { rig in
                let (snapshot, unread) = (rig.player.snapshot, rig.output.unread)
                let isLast = snapshot.item.map { $0.index + 1 == snapshot.queueLength } ?? false
                guard isLast || unread > reserve || (unread > 0 && MonotonicTime.now > next) else { return false }
                next = MonotonicTime.now.advanced(bySeconds: 0.005)
                return true
            }, until: condition)
    }

    @Test(arguments: [(DecodeBuffering(), 24_000), (DecodeBuffering(frames: 512, count: 2), 3_000)])
    func bothAreMixed_withEqualPower_andAllElseIsExact(buffering: DecodeBuffering, reserve: Int) throws {
        let rig = try Self.started(
            ["a": Self.script(6, base: 0.1), "b": Self.script(8, base: 0.3), "c": Self.script(2, base: -0.2)],
            crossfade: 3,
            buffering: buffering)
        #expect(Self.play(rig, reserve: reserve) { $0.player.snapshot.status == .completed })
        let two = Self.mixed(Self.samples(6, base: 0.1), Self.samples(8, base: 0.3), seconds: 3)
        let heard = rig.output.captured
        let isRight = Self.isEqual(heard, Self.mixed(two, Self.samples(2, base: -0.2), seconds: 1))
        #expect(isRight)
        let begins = Self.begins(heard, with: Self.samples(6, base: 0.1), frames: 3 * Self.rate)
        #expect(begins)
    }

    @Test func withZero_andBetweenNeighboursOfAnAlbum_noBitChanges() throws {
        var tags = MediaDescription.Tags()
        tags.album = "One"
        for (crossfade, tags) in [(0.0, MediaDescription.Tags()), (3.0, tags)] {
            let rig = try Self.started(
                ["a": Self.script(6, base: 0.1, tags: tags), "b": Self.script(4, base: 0.3, tags: tags)],
                crossfade: crossfade)
            #expect(rig.play { $0.player.snapshot.status == .completed })
            let isSame = rig.output.captured == Self.samples(6, base: 0.1) + Self.samples(4, base: 0.3)
            #expect(isSame)
            rig.player.shutdown()
        }
    }

    @Test func anItemThatFailsToOpen_leavesTheEndWhole() throws {
        let rig = try Self.started(
            ["a": Self.script(6, base: 0.1), "b": Self.script(4, base: 0, openError: MediaError(.unsupported, "No."))],
            crossfade: 3)
        #expect(rig.play { [.completed, .failed].contains($0.player.snapshot.status) })
        let isWhole = rig.output.captured == Self.samples(6, base: 0.1)
        #expect(isWhole)
    }

    @Test func aLateItem_hasAShorterFade_withoutAGap() throws {
        let rig = try Self.started(
            ["a": Self.script(6, base: 0.1), "b": Self.script(8, base: 0.3, isHeld: true)], crossfade: 3)
        #expect(rig.play { $0.output.captured.count > 4 * Self.rate })
        rig.opener.release("b")
        #expect(rig.play { $0.player.snapshot.status == .completed })
        let heard = rig.output.captured
        // Both items were heard completely, without silence between them.
        #expect(heard.count >= 11 * Self.rate && heard.count <= 14 * Self.rate)
        let begins = Self.begins(heard, with: Self.samples(6, base: 0.1), frames: 4 * Self.rate)
        #expect(begins)
        let ends = Self.ends(heard, with: Self.samples(8, base: 0.3), frames: 5 * Self.rate)
        #expect(ends)
        let isGap = heard.contains { abs($0) < 0.05 }
        #expect(!isGap)
    }

    @Test func anItemThatFailsInTheOverlap_losesNothingOfThePreviousOne() throws {
        let broken = Self.script(8, base: 0.3, failure: (FrameCount(Self.rate), MediaError(.unreadable, "Cut off.")))
        let rig = try Self.started(["a": Self.script(6, base: 0.1), "b": broken], crossfade: 3)
        #expect(rig.play { [.completed, .failed].contains($0.player.snapshot.status) })
        #expect(rig.output.captured.count == 6 * Self.rate)
    }

    @Test(arguments: [1, 5, 9]) func aSeekInTheOverlap_cutsThePreviousItem(tenth: Int) throws {
        let rig = try Self.started(
            ["a": Self.script(6, base: 0.1), "b": Self.script(8, base: 0.3)], crossfade: 3)
        let frames = (30 + 3 * tenth) * Self.rate / 10
        #expect(Self.play(rig) { $0.output.captured.count >= frames })
        let count = rig.output.captured.count
        #expect(rig.player.snapshot.item?.item.uri == "b")
        rig.send(.seek(.position(7)))
        #expect(rig.play { $0.player.snapshot.status == .completed })
        let heard = rig.output.captured
        let two = Self.mixed(Self.samples(6, base: 0.1), Self.samples(8, base: 0.3), seconds: 3)
        let isMixed = Self.isEqual(Array(heard.prefix(count)), Array(two.prefix(count)))
        let ends = Self.ends(heard, with: Self.samples(8, base: 0.3), frames: Self.rate)
        #expect(isMixed && ends)
        #expect(heard.count < count + 2 * Self.rate)
    }

    @Test func anEdit_beforeTheOverlapIsHeard_wins() throws {
        let rig = try Self.started(
            ["a": Self.script(6, base: 0.1), "b": Self.script(8, base: 0.3)], crossfade: 3)
        #expect(Self.play(rig) { $0.output.captured.count >= 5 * Self.rate / 2 })
        rig.perform(.apply(.with { $0.crossfade = 1 }))
        #expect(Self.play(rig) { $0.player.snapshot.status == .completed })
        let expected = Self.mixed(Self.samples(6, base: 0.1), Self.samples(8, base: 0.3), seconds: 1)
        let isRight = Self.isEqual(rig.output.captured, expected)
        #expect(isRight)
    }

    @Test func aRender_isTheSame() throws {
        let format = AudioFormat(sampleRate: Self.rate, layout: .stereo)
        let renderer = OfflineRenderer(
            format, effects: .off, conversion: NoConversion(), stretching: NoStretching())
        var output: [Float] = []
        let consume = { (part: UnsafeBufferPointer<Float>) in output += part }
        var first = OfflineMedia(ScriptedDecoder(Self.script(6, base: 0.1)))
        first.held = 3
        var second = OfflineMedia(ScriptedDecoder(Self.script(8, base: 0.3)))
        second.overlap = 3
        second.held = 3
        var third = OfflineMedia(ScriptedDecoder(Self.script(2, base: -0.2)))
        third.overlap = 1
        for media in [first, second, third] { try renderer.render(media, consume) }
        try renderer.finish(consume)
        let two = Self.mixed(Self.samples(6, base: 0.1), Self.samples(8, base: 0.3), seconds: 3)
        let heard = stride(from: 0, to: output.count, by: 2).map { output[$0] }
        let isRight = Self.isEqual(heard, Self.mixed(two, Self.samples(2, base: -0.2), seconds: 1))
        #expect(isRight)
    }
}
