// SPDX-License-Identifier: Apache-2.0

import Audio
import Media
import Playback
import Testing

@testable import Mpg123Decoding

/// Sources on which each seek costs a request.
@Suite struct RemoteSourceTests {
    let fixtures: Fixtures

    init() throws { fixtures = try Fixtures() }

    private func remote(_ file: String) throws -> MemorySource {
        MemorySource(try fixtures.bytes(at: file), isLocal: false)
    }

    @Test(arguments: Kind.allCases)
    func samplesEqualMpg123_andTheEndIsNotLookedAtFirst(kind: Kind) throws {
        let file = try kind.make(fixtures)
        let source = try remote(file)
        let size = Int(try #require(source.size).bytes)
        let decoder = try Mpg123Decoder(source)
        #expect(source.farthestRead < max(size / 2, 100_000))
        let reference = try fixtures.reference(file)
        let decoded = try decoder.frames()
        #expect(decoded.samples.count == reference.count)
        #expect(distance(decoded.samples, reference) <= 1)
        #expect(decoder.media.decodeErrors == 0)
        #expect(decoder.media.durationIsExact)
    }

    @Test func aSeekInAConstantBitRateIsExact_andReadsNothingBefore() throws {
        let wave = try fixtures.wave("long.wav", seconds: 40)
        let file = try fixtures.lame("long.mp3", "-b", "128", source: wave)
        let whole = try openDecoder(file).frames().samples
        for target in [whole.count / 4, whole.count / 3 + 17, whole.count / 5, 0, 44_100 * 35] {
            let source = try remote(file)
            let decoder = try Mpg123Decoder(source)
            let before = source.bytesRead
            #expect(try decoder.seek(to: FrameCount(target)) == FrameCount(target))
            let part = try decoder.frames(4_000).samples
            #expect(source.bytesRead - before < 150_000)
            let expected = whole[(target * 2)...].prefix(part.count)
            #expect(difference(part, expected) <= 1 / 32_768, "at \(target)")
        }
    }

    /// SPEC 208, 272. Forward past what was decoded, back into it, to the end and behind it; without a header as well.
    @Test(arguments: [["-V", "4"], ["-V", "4", "-t"]])
    func aSeekInAVariableBitRateIsExact_whenWhatLiesBetweenComesQuickly(options: [String]) throws {
        let file = try variable(options)
        let whole = try openDecoder(file).frames().samples
        let decoder = try Mpg123Decoder(try remote(file))
        let length = FrameCount(whole.count / 2)
        for target in [length / 3 + 17, length * 9 / 10, length / 5, length / 2, 0, length - 2_000] {
            #expect(try decoder.seek(to: target) == target)
            let part = try decoder.frames(1_000).samples
            let expected = whole[Int(target * 2)...].prefix(part.count)
            #expect(part.count >= 2_000 && difference(part, expected) <= 1 / 32_768, "at \(target)")
        }
        #expect(try decoder.frames().ended)
        #expect(decoder.media.durationIsExact && decoder.media.duration == length)
        #expect(decoder.media.decodeErrors == 0)
        _ = try decoder.seek(to: length * 4)
        #expect(try decoder.frames().ended)
    }

    /// Decoded frames are counted: nothing is read a second time.
    @Test func aSeekBackInAVariableBitRate_readsNothingBefore() throws {
        let source = try remote(try variable(["-V", "4", "-t"]))
        let decoder = try Mpg123Decoder(source)
        _ = try decoder.frames(44_100 * 30)
        let before = source.bytesRead
        #expect(try decoder.seek(to: 44_100 * 20) == 44_100 * 20)
        _ = try decoder.frames(4_000)
        #expect(source.bytesRead - before < 150_000)
    }

    @Test func aSeekInAVariableBitRateIsNear_whenWhatLiesBetweenComesTooSlowly() throws {
        let source = try remote(try variable(["-V", "4"]))
        let decoder = try Mpg123Decoder(source)
        decoder.countingLimit = 0
        let length = try #require(decoder.media.duration)
        let before = source.bytesRead
        #expect(try decoder.seek(to: length * 3 / 4) == length * 3 / 4)
        _ = try decoder.frames(4_000)
        #expect(source.bytesRead - before < 150_000)
        #expect(!decoder.media.positionIsExact)
        #expect(try decoder.frames().ended)
        #expect(decoder.media.duration == length)
        #expect(decoder.media.decodeErrors == 0)
        decoder.countingLimit = 60
        _ = try decoder.seek(to: length / 2)
        #expect(decoder.media.positionIsExact)
    }

    @Test func aSeekInAVariableBitRateIsNear_whenMuchLiesBetween() throws {
        let bytes = try fixtures.bytes(at: variable(["-V", "0", "-t"]))
        let copies = Int(Mpg123Decoder.countedAtSeek) / bytes.count * 2 + 2
        let source = MemorySource([[UInt8]](repeating: bytes, count: copies).flatMap { $0 }, isLocal: false)
        let decoder = try Mpg123Decoder(source)
        let before = source.bytesRead
        _ = try decoder.seek(to: try #require(decoder.media.duration) * 3 / 4)
        _ = try decoder.frames(4_000)
        #expect(source.bytesRead - before < 150_000)
    }

    private func variable(_ options: [String]) throws -> String {
        try options.count > 2
            ? fixtures.lame(
                "bare.mp3", options[0], options[1], options[2], source: try fixtures.wave("long.wav", seconds: 40))
            : fixtures.lame("headed.mp3", options[0], options[1], source: try fixtures.wave("long.wav", seconds: 40))
    }
}
