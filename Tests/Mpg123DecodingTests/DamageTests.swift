// SPDX-License-Identifier: Apache-2.0

import Audio
import Foundation
import Media
import Playback
import Testing

@testable import Mpg123Decoding

@Suite struct DamageTests {
    let fixtures: Fixtures

    init() throws { fixtures = try Fixtures() }

    @Test(arguments: [Kind.constant, .variableNoHeader, .layer2])
    func garbageInTheMiddle_isSkippedAndCounted(kind: Kind) throws {
        let clean = try fixtures.clean(kind)
        var random = SeededGenerator(seed: 7)
        let garbage = (0..<4_096).map { _ in UInt8.random(in: 0...255, using: &random) }
        let middle = clean.count / 2
        let decoder = try Mpg123Decoder(MemorySource(clean[..<middle] + garbage + clean[middle...]))
        let whole = try Mpg123Decoder(MemorySource(clean)).frames().samples.count
        let decoded = try decoder.frames()
        #expect(decoded.ended)
        #expect((1...20).contains(decoder.media.decodeErrors))
        #expect(abs(decoded.samples.count - whole) < 40 * 1_152 * 2)
        #expect(decoder.media.duration == FrameCount(decoded.samples.count / 2))
    }

    @Test func foreignHeaderInGarbage_doesNotChangeTheFormat() throws {
        let clean = try fixtures.clean(.constant)
        let middle = clean.count / 2
        // Headers of MPEG 2, 22,050 Hz, mono, each alone.
        var garbage = [UInt8](repeating: 0x55, count: 4_096)
        for offset in [100, 1_500, 3_000] {
            garbage.replaceSubrange(offset..<offset + 4, with: [0xFF, 0xF3, 0x80, 0xC0])
        }
        let decoder = try Mpg123Decoder(MemorySource(clean[..<middle] + garbage + clean[middle...]))
        let decoded = try decoder.frames()
        #expect(decoded.ended)
        #expect(decoder.media.format == AudioFormat(sampleRate: 44_100, layout: .stereo))
        #expect(decoded.samples.count / 2 > 7 * 44_100)
    }

    @Test func longGarbage_isPassed() throws {
        let clean = try fixtures.clean(.constant)
        let middle = clean.count / 2
        let garbage = [UInt8](repeating: 0x55, count: 3 << 20)
        let decoder = try Mpg123Decoder(MemorySource(clean[..<middle] + garbage + clean[middle...]))
        let decoded = try decoder.frames()
        #expect(decoded.ended)
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
        do {
            _ = try decoder.frames()
            Issue.record("nothing thrown")
        } catch let error as MediaError {
            #expect(error.code == .unreadable)
            #expect(error.message.contains("shorter"))
        }
    }

    @Test func fileDeletedWhileItPlays_playsOn() throws {
        let path = try fixtures.write("goes.mp3", try fixtures.clean(.constant))
        let decoder = try openDecoder(path)
        #expect(unlink(path) == 0)
        #expect(try decoder.frames().samples.count / 2 == 8 * 44_100)
    }

    @Test func mutations_allComeToAnEnd() throws {
        let originals: [[UInt8]] =
            try [Kind.constant, .variableNoHeader, .freeFormat, .mpeg25, .layer2, .layer1].map {
                let bytes = try fixtures.clean($0)
                return Array(bytes.prefix(24_000))
            } + [
                TagBuilder(version: 4).text("TIT2", 1, [0xFF, 0xFE, 0x41, 0]).picture(3, TagBuilder.png).bytes
                    + fixtures.clean(.constant).prefix(8_000)
            ]
        let deadline = ContinuousClock.now + .seconds(60)
        for seed in 0..<300 {
            var random = SeededGenerator(seed: UInt64(seed))
            var bytes = originals[seed % originals.count]
            switch seed % 4 {
            case 0: bytes.removeLast(Int.random(in: 1..<bytes.count, using: &random))
            case 1:
                for _ in 0..<Int.random(in: 1...200, using: &random) {
                    bytes[Int.random(in: bytes.indices, using: &random)] ^= 1 << UInt8.random(in: 0...7, using: &random)
                }
            case 2:
                let start = Int.random(in: bytes.indices, using: &random)
                bytes.removeSubrange(start..<min(bytes.count, start + Int.random(in: 1...3_000, using: &random)))
            default:
                let noise = (0..<Int.random(in: 1...4_096, using: &random)).map { _ in
                    UInt8.random(in: 0...255, using: &random)
                }
                bytes.insert(contentsOf: noise, at: Int.random(in: bytes.indices, using: &random))
            }
            do throws(MediaError) {
                let source = MemorySource(bytes)
                guard try Mpg123DecoderFactory().recognises(Array(bytes.prefix(4_096)), of: source) else { continue }
                let decoder = try Mpg123Decoder(source)
                try decodeAll(decoder)
                let target = FrameCount.random(in: 0...max(1, decoder.media.duration ?? 1), using: &random)
                _ = try decoder.seek(to: target)
                try decodeAll(decoder)
            } catch {
                #expect([.unsupported, .empty].contains(error.code), "seed \(seed): \(error)")
            }
            #expect(ContinuousClock.now < deadline, "seed \(seed)")
        }
    }

    private func decodeAll(_ decoder: Mpg123Decoder) throws(MediaError) {
        let buffer = UnsafeMutableBufferPointer<Float>.allocate(capacity: 8_192)
        defer { buffer.deallocate() }
        var calls = 0
        while true {
            let decoded = try decoder.decode(into: buffer)
            calls += 1
            if decoded.endOfStream || calls > 10_000 { break }
        }
        #expect(calls <= 10_000)
    }
}

extension Fixtures {
    func clean(_ kind: Kind) throws -> [UInt8] {
        let file = try kind.make(self)
        return try bytes(String(file.dropFirst(directory.count + 1)))
    }
}
