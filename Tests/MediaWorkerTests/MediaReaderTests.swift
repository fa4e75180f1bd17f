// SPDX-License-Identifier: Apache-2.0

import Audio
import MediaWorkerProtocol
import Testing

@testable import tonearm_media_worker

/// The reader alone, without a process, on generated WAV files.
@Suite struct MediaReaderTests {
    @Test func samples_areThoseOfTheFile_fromAnyPlace() throws {
        let bytes = Bytes(wave(frames: 50_000))
        let reader = try MediaReader(bytes, source(bytes))
        #expect(reader.media.format == AudioFormat(sampleRate: 44_100, layout: .stereo))
        #expect(reader.media.duration == 50_000 && reader.media.durationIsExact)
        #expect(!reader.media.isCut)
        #expect(reader.media.codec == "pcm_s16le" && reader.media.bitsPerSample == 16)
        for place in [0, 1, 44_100, 7, 49_999] {
            #expect(try reader.seek(to: Int64(place)) == Int64(place))
            let part = try decode(reader, frames: 10)
            #expect(part.frames == min(10, 50_000 - place))
            #expect(part.samples.prefix(2) == [sample(place), -sample(place)])
        }
        #expect(try reader.seek(to: 60_000) == 50_000)
        let rest = try reader.decode(10, into: .allocate(capacity: 20))
        #expect(rest.frames == 0 && rest.endOfStream)
    }

    @Test func cutFile_endsWithDamageCounted() throws {
        let bytes = Bytes(Array(wave(frames: 50_000).prefix(44 + 4 * 20_000)))
        let reader = try MediaReader(bytes, source(bytes))
        #expect(reader.media.isCut)
        var frames = 0
        while true {
            let part = try decode(reader, frames: 8_192)
            frames += part.frames
            if part.progress.endOfStream {
                #expect(part.progress.duration == 20_000)
                break
            }
        }
        #expect(frames == 20_000)
    }

    @Test func failingSource_isNotTheEnd() throws {
        let bytes = Bytes(wave(frames: 500_000))
        let reader = try MediaReader(bytes, source(bytes))
        bytes.failsAt = 1_000_000
        let failure = #expect(throws: WorkerFailure.self) {
            while true { if try decode(reader, frames: 8_192).progress.endOfStream { break } }
        }
        #expect(failure?.code == .source)
        bytes.failsAt = nil
        // As after a read that a jump interrupted.
        #expect(try reader.seek(to: 400_000) == 400_000)
        #expect(try decode(reader, frames: 1).samples.first == sample(400_000))
    }

    /// A lossless frame is converted as soon as a seek reaches it, so its format is new before a sample is returned.
    @Test func aNewFormat_isReportedAfterASeekIntoIt() throws {
        let bytes = Bytes(flac(blocks: 100, stereoBlocks: 50))
        let reader = try MediaReader(bytes, source(bytes))
        #expect(reader.media.format == AudioFormat(sampleRate: 44_100, layout: .stereo))
        for (block, channels) in [(70, 1), (10, 2), (90, 1), (49, 2)] {
            let place = Int64(block * 4_096 + 7)
            #expect(try reader.seek(to: place) == place)
            let change = try decode(reader, frames: 10)
            #expect(change.frames == 0 && change.progress.format?.channelCount == channels)
            let part = try decode(reader, frames: 10)
            #expect(part.frames == 10 && part.progress.format == nil)
            #expect(part.samples.prefix(10 * channels).allSatisfy { $0 == Float(block) / 32_768 })
        }
    }

    private final class Bytes: SourceBytes {
        let content: [UInt8]
        var failsAt: Int64?

        init(_ content: [UInt8]) { self.content = content }

        func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) -> Int? {
            if let failsAt, offset + Int64(buffer.count) > failsAt { return nil }
            guard offset < content.count else { return 0 }
            let part = content[Int(offset)..<min(content.count, Int(offset) + buffer.count)]
            buffer.copyBytes(from: part)
            return part.count
        }
    }

    private func source(_ bytes: Bytes) -> WorkerSource {
        WorkerSource(size: Int64(bytes.content.count), isSeekable: true, isLocal: true)
    }

    private func sample(_ frame: Int) -> Float { Float(frame % 30_000) / 32_768 }

    private func decode(
        _ reader: MediaReader, frames: Int
    ) throws -> (frames: Int, samples: [Float], progress: WorkerProgress) {
        var samples = [Float](repeating: 0, count: frames * 2)
        let progress = try samples.withUnsafeMutableBufferPointer { try reader.decode(frames, into: $0.baseAddress!) }
        return (progress.frames, Array(samples.prefix(progress.frames * 2)), progress)
    }

    /// FLAC of 16 bits. Every sample of a block of 4,096 frames is the block's number; later blocks have one channel.
    private func flac(blocks: Int, stereoBlocks: Int) -> [UInt8] {
        func number(_ value: Int, _ size: Int) -> [UInt8] {
            (0..<size).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
        }
        func checksum(_ bytes: [UInt8], _ polynomial: Int, bits: Int) -> [UInt8] {
            var sum = 0
            for byte in bytes {
                sum ^= Int(byte) << (bits - 8)
                for _ in 0..<8 {
                    sum <<= 1
                    if sum >> bits == 1 { sum ^= 1 << bits | polynomial }
                }
            }
            return number(sum, bits / 8)
        }
        var file = Array("fLaC".utf8) + [0x80, 0, 0, 34]
        file += number(4_096, 2) + number(4_096, 2) + number(0, 6)
        // 44,100 Hz, two channels, 16 bits, the length; no checksum.
        file += number(0x0AC4_42F0, 4) + number(blocks * 4_096, 4) + number(0, 16)
        for block in 0..<blocks {
            let channels = block < stereoBlocks ? 2 : 1
            var frame: [UInt8] = [0xFF, 0xF8, 0xC9, UInt8(channels - 1) << 4 | 8, UInt8(block)]
            frame += checksum(frame, 0x07, bits: 8)
            for _ in 0..<channels { frame += [0] + number(block, 2) }
            file += frame + checksum(frame, 0x8005, bits: 16)
        }
        return file
    }

    /// 16 bits, two channels, the second one the first upside down.
    private func wave(frames: Int) -> [UInt8] {
        func number(_ value: Int, _ size: Int) -> [UInt8] {
            (0..<size).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
        }
        let format = number(1, 2) + number(2, 2) + number(44_100, 4) + number(176_400, 4) + number(4, 2) + number(16, 2)
        var data: [UInt8] = []
        for frame in 0..<frames { data += number(frame % 30_000, 2) + number(-(frame % 30_000), 2) }
        return Array("RIFF".utf8) + number(36 + data.count, 4) + Array("WAVEfmt ".utf8) + number(16, 4) + format
            + Array("data".utf8) + number(data.count, 4) + data
    }
}
