// SPDX-License-Identifier: Apache-2.0

import Audio
import Foundation
import Kernel
import Media
import Playback
import Testing

@testable import Mpg123Decoding

@Suite struct DamageTests {
    let fixtures: Fixtures

    init() throws { fixtures = try Fixtures() }

    /// Decodes a stream with garbage in its middle, to its end.
    private func decode(_ kind: Kind, with garbage: [UInt8]) throws -> (Mpg123Decoder, (samples: [Float], ended: Bool))
    {
        let clean = try fixtures.clean(kind)
        let middle = clean.count / 2
        let decoder = try Mpg123Decoder(MemorySource(clean[..<middle] + garbage + clean[middle...]))
        let decoded = try decoder.frames()
        #expect(decoded.ended)
        return (decoder, decoded)
    }

    @Test(arguments: [Kind.constant, .variableNoHeader, .layer2])
    func garbageInTheMiddle_isSkippedAndCounted(kind: Kind) throws {
        var random = SeededGenerator(seed: 7)
        let garbage = (0..<4_096).map { _ in UInt8.random(in: 0...255, using: &random) }
        let (decoder, decoded) = try decode(kind, with: garbage)
        let whole = try Mpg123Decoder(MemorySource(try fixtures.clean(kind))).frames().samples.count
        #expect((1...20).contains(decoder.media.decodeErrors))
        #expect(abs(decoded.samples.count - whole) < 40 * 1_152 * 2)
        #expect(decoder.media.duration == FrameCount(decoded.samples.count / 2))
    }

    @Test func foreignHeaderInGarbage_doesNotChangeTheFormat() throws {
        // Headers of MPEG 2, 22,050 Hz, mono, each alone.
        var garbage = [UInt8](repeating: 0x55, count: 4_096)
        for offset in [100, 1_500, 3_000] {
            garbage.replaceSubrange(offset..<offset + 4, with: [0xFF, 0xF3, 0x80, 0xC0])
        }
        let (decoder, decoded) = try decode(.constant, with: garbage)
        #expect(decoder.media.format == AudioFormat(sampleRate: 44_100, layout: .stereo))
        #expect(decoded.samples.count / 2 > 7 * 44_100)
    }

    @Test func longGarbage_isPassed() throws {
        let (decoder, decoded) = try decode(.constant, with: [UInt8](repeating: 0x55, count: 3 << 20))
        #expect(decoder.media.decodeErrors >= 1)
        #expect(decoded.samples.count / 2 > 7 * 44_100)
    }

    @Test func truncatedFile_playsToItsEndAndCounts() throws {
        let clean = try fixtures.clean(.constant)
        let decoder = try Mpg123Decoder(MemorySource(Array(clean[..<(clean.count / 2 + 100)])))
        #expect(abs(decoder.media.duration! - 4 * 44_100) < 5_000)
        let decoded = try decoder.frames()
        #expect(decoded.ended)
        #expect(abs(decoded.samples.count / 2 - 4 * 44_100) < 5_000)
        #expect(decoder.media.decodeErrors == 1)
        #expect(decoder.media.duration == FrameCount(decoded.samples.count / 2))
    }

    @Test func fileTruncatedWhileItPlays_isUnreadable() throws {
        let path = try fixtures.write("shrinks.mp3", try fixtures.clean(.padded48))
        let decoder = try openDecoder(path)
        _ = try decoder.frames(2_000)
        #expect(truncate(path, 20_000) == 0)
        let error = #expect(throws: MediaError.self) { try decoder.frames() }
        #expect(error?.code == .unreadable && error?.message.contains("shorter") == true)
    }

    @Test func fileDeletedWhileItPlays_playsOn() throws {
        let path = try fixtures.write("goes.mp3", try fixtures.clean(.constant))
        let decoder = try openDecoder(path)
        #expect(unlink(path) == 0)
        #expect(try decoder.frames().samples.count / 2 == 8 * 44_100)
    }
}
