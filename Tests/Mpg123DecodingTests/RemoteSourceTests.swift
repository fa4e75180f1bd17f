// SPDX-License-Identifier: Apache-2.0

import Audio
import Media
import Playback
import Testing

@testable import Mpg123Decoding

/// Sources where each jump costs a request.
@Suite struct RemoteSourceTests {
    let fixtures: Fixtures

    init() throws { fixtures = try Fixtures() }

    private func remote(_ file: String) throws -> MemorySource {
        let name = String(file.split(separator: "/").last ?? "")
        return MemorySource(try fixtures.bytes(name), isLocal: false)
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
            let worst = zip(part, expected).reduce(Float(0)) { max($0, abs($1.0 - $1.1)) }
            #expect(worst <= 1 / 32_768, "at \(target)")
        }
    }

    @Test func aSeekInAVariableBitRateIsNear_andTheEndIsReached() throws {
        let wave = try fixtures.wave("long.wav", seconds: 40)
        let file = try fixtures.lame("vbr.mp3", "-V", "4", source: wave)
        let source = try remote(file)
        let decoder = try Mpg123Decoder(source)
        let length = try #require(decoder.media.duration)
        let before = source.bytesRead
        #expect(try decoder.seek(to: length * 3 / 4) == length * 3 / 4)
        _ = try decoder.frames(4_000)
        #expect(source.bytesRead - before < 150_000)
        #expect(try decoder.frames().ended)
        #expect(decoder.media.duration == length)
        #expect(decoder.media.decodeErrors == 0)
    }
}
