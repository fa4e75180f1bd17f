// SPDX-License-Identifier: Apache-2.0

import Audio
import Glibc
import PlaybackTesting
import Testing

@testable import Playback

struct OfflineRendererTests {
    private static let format = AudioFormat(sampleRate: 44_100, layout: .stereo)

    /// The n-th frame of a script is `base` + n.
    private static func media(_ frames: FrameCount, base: Float = 0, layout: ChannelLayout = .stereo) -> OfflineMedia {
        let format = AudioFormat(sampleRate: 44_100, layout: layout)
        return OfflineMedia(ScriptedDecoder(ScriptedOpener.Script(frames: frames, format: format, base: base)))
    }

    private static func render(
        _ effects: EffectSettings = .off, stretching: any TimeStretching = NoStretching(), duration: Double? = nil,
        _ body: (OfflineRenderer, OfflineRenderer.Consumer) throws -> Void
    ) throws -> [Float] {
        let renderer = OfflineRenderer(
            format, effects: effects, conversion: NoConversion(), stretching: stretching, duration: duration)
        var samples: [Float] = []
        let consume = { (part: UnsafeBufferPointer<Float>) in samples += part }
        try body(renderer, consume)
        try renderer.finish(consume)
        #expect(renderer.frames == FrameCount(samples.count / 2))
        return samples
    }

    private static func channel(_ channel: Int, of samples: [Float]) -> [Float] {
        stride(from: channel, to: samples.count, by: 2).map { samples[$0] }
    }

    @Test func mediaFollowWithoutAGap_withTheirRounds() throws {
        var second = Self.media(3, base: 100_000)
        second.loops = 2
        second.beginTime = 1 / 44_100
        let samples = try Self.render { renderer, consume in
            try renderer.render(Self.media(10_000), consume)
            try renderer.render(second, consume)
        }
        #expect(
            Self.channel(0, of: samples) == (0..<10_000).map { Float($0) } + [
                100_000, 100_001, 100_002, 100_001, 100_002, 100_001, 100_002,
            ])
    }

    @Test func aPartIsExact() throws {
        var media = Self.media(20_000)
        media.start = 5_000 / 44_100
        let samples = try Self.render(duration: 6_000 / 44_100) { renderer, consume in
            try renderer.render(media, consume)
            #expect(renderer.isComplete)
        }
        #expect(samples.count == 12_000 && samples.first == 5_000 && samples.last == 10_999)
    }

    /// The part ends within the held end of the first media, which is longer than the ring.
    @Test(.timeLimit(.minutes(10))) func aPartMayEnd_beforeTheNextMediaBegins() throws {
        let rate: FrameCount = 44_100
        var (first, second) = (Self.media(30 * rate), Self.media(10 * rate))
        first.held = 20
        second.overlap = 5
        let samples = try Self.render(duration: 15) { renderer, consume in
            try renderer.render(first, consume)
            #expect(!renderer.isComplete)
            try renderer.render(second, consume)
            #expect(renderer.isComplete)
        }
        #expect(samples.count == 2 * Int(15 * rate) && samples.last == Float(15 * rate - 1))
    }

    /// Each item has its own tempo, also in its held end.
    @Test func theTempoIsTheMediasOwn() throws {
        var (first, second) = (Self.media(88_200), Self.media(88_200, base: 100_000))
        first.tempo = Tempo(rate: 2)
        second.tempo = Tempo(rate: 3)
        let expected =
            stride(from: 0, to: 88_200, by: 2).map { Float($0) }
            + stride(from: 0, to: 88_200, by: 3).map { 100_000 + Float($0) }
        for held in [0.0, 0.5] {
            first.held = held
            first.decoder = Self.media(88_200).decoder
            second.decoder = Self.media(88_200, base: 100_000).decoder
            let samples = try Self.render(stretching: FrameDropping()) { renderer, consume in
                try renderer.render(first, consume)
                try renderer.render(second, consume)
            }
            #expect(Self.channel(0, of: samples) == expected)
        }
        // Only the second item has a tempo, which starts after the overlap.
        (first.held, second.overlap, first.tempo) = (0.5, 0.5, .normal)
        first.decoder = Self.media(88_200).decoder
        second.decoder = Self.media(88_200, base: 100_000).decoder
        let samples = try Self.render(stretching: FrameDropping()) { renderer, consume in
            try renderer.render(first, consume)
            try renderer.render(second, consume)
        }
        #expect(samples.count == 2 * (88_200 + 29_400 - 22_050))
        let mix = try Self.render(stretching: FrameDropping()) { renderer, consume in
            var media = Self.media(9_000)
            media.tempo = Tempo(rate: 3)
            try renderer.mix([(media, 1)], consume)
        }
        #expect(mix.count == 6_000 && mix[2 * 100] == 300)
    }

    /// The measured loudness, without loudness tags.
    @Test func measuredLoudnessIsApplied() throws {
        let effects = EffectSettings.on { ($0.loudness.mode, $0.loudness.preventsClipping) = (.track, false) }
        let samples = try Self.render(effects) { renderer, consume in
            let decoder = ScriptedDecoder(ScriptedOpener.Script(frames: 3))
            decoder.media.companions.loudness = TrackLoudness(trackGain: -20 * log10(2))
            try renderer.render(OfflineMedia(decoder), consume)
        }
        let right = Self.channel(1, of: samples)
        #expect(zip(right, [0, 0.5, 1] as [Float]).allSatisfy { abs($0 - $1) < 1e-5 } && right.count == 3)
    }

    @Test func aMixIsTheSum_untilTheLongestEnds() throws {
        let samples = try Self.render { renderer, consume in
            try renderer.mix([(Self.media(9_000), 0.5), (Self.media(5_000, base: 1_000, layout: .mono), 2)], consume)
        }
        let expected = (0..<9_000).map { (frame: Int) -> Float in
            let number = Float(frame)
            return frame < 5_000 ? 0.5 * number + 2 * (1_000 + number) : 0.5 * number
        }
        let right = Self.channel(1, of: samples)
        #expect(right == expected)
    }

    @Test func effectsGiveEveryFrame() throws {
        let effects = EffectSettings.on { $0.limiter.isEnabled = true }
        for frames in [1, 63, 64, 191, 192, 193, 5_000] as [FrameCount] {
            let samples = try Self.render(effects) { renderer, consume in
                try renderer.render(Self.media(frames), consume)
            }
            #expect(samples.count == 2 * Int(frames))
        }
    }

    @Test func theTailAfterTheLastFrame_isRendered() throws {
        var effects = EffectSettings.on { $0.delay = 250 }
        let samples = try Self.render(effects) { renderer, consume in try renderer.render(Self.media(1_000), consume) }
        #expect(samples.count == 2 * (1_000 + 11_025) && samples.last == 999)
        effects.delay = 0
        effects.reverb.isEnabled = true
        effects.reverb.decay = 0.5
        let tail = try Self.render(effects) { renderer, consume in try renderer.render(Self.media(1_000), consume) }
        #expect(tail.count == 2 * (1_000 + 22_050) && tail[20_000..<30_000].contains { abs($0) > 1e-4 })
    }

    @Test func cancelledItEndsAtOnce() throws {
        let cancellation = MediaCancellation()
        let renderer = OfflineRenderer(
            Self.format, effects: .off, conversion: NoConversion(), stretching: NoStretching(),
            cancellation: cancellation)
        #expect(throws: MediaError.self) {
            try renderer.render(Self.media(1 << 40)) { _ in
                cancellation.cancel()
            } _: { _ in
            }
        }
        #expect(renderer.frames > 0)
    }
}
