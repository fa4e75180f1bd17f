// SPDX-License-Identifier: Apache-2.0

import Audio
import Media
import Playback
import Testing

@testable import Mpg123Decoding

@Suite struct Mpg123DecoderTests {
    let fixtures: Fixtures

    init() throws { fixtures = try Fixtures() }

    @Test(arguments: Kind.allCases)
    func samplesEqualMpg123_whole(kind: Kind) throws {
        let file = try kind.make(fixtures)
        let decoder = try openDecoder(file)
        let reference = try fixtures.reference(file)
        let estimated = decoder.media.duration
        let isExact = decoder.media.durationIsExact
        let decoded = try decoder.frames()
        #expect(decoded.ended)
        #expect(decoded.samples.count == reference.count)
        #expect(distance(decoded.samples, reference) <= 1)
        let frames = FrameCount(reference.count / decoder.media.format.channelCount)
        #expect(isExact)
        #expect(estimated == frames)
        #expect(decoder.media.duration == frames)
        #expect(decoder.media.decodeErrors == 0)
    }

    @Test(arguments: Kind.allCases)
    func seekGivesTheSameSamples_asDecodingFromTheStart(kind: Kind) throws {
        let file = try kind.make(fixtures)
        let decoder = try openDecoder(file)
        let whole = try decoder.frames().samples
        let channels = decoder.media.format.channelCount
        let length = whole.count / channels
        for target in [length / 2, 1, length - 700, 0, length / 3 + 17, length / 2 + 5_000, 1_105] {
            #expect(try decoder.seek(to: FrameCount(target)) == FrameCount(target))
            let part = try decoder.frames(4_000).samples
            #expect(part.count >= min(4_000, length - target) * channels)
            let expected = whole[(target * channels)...].prefix(part.count)
            #expect(difference(part, expected) <= 1 / 32_768, "\(kind) at \(target)")
        }
        #expect(decoder.media.decodeErrors == 0)
    }

    @Test func end_whenSoughtToOrPastIt() throws {
        let decoder = try openDecoder(try Kind.constant.make(fixtures))
        let length = decoder.media.duration!
        #expect(try decoder.seek(to: length + 1_000_000) == length)
        let end = try decoder.frames()
        #expect(end.samples.isEmpty && end.ended)
        #expect(try decoder.seek(to: length - 100) == length - 100)
        let last = try decoder.frames()
        #expect(last.samples.count == 200 && last.ended)
    }

    @Test func secondFileSoundsTheSame_afterAnotherOne() throws {
        let file = try Kind.lowest.make(fixtures)
        let alone = try openDecoder(file).frames().samples
        let other = try openDecoder(try Kind.constant.make(fixtures))
        _ = try other.frames(50_000)
        #expect(try openDecoder(file).frames().samples == alone)
    }

    @Test func duration_refinedWithoutHeader_whenTooLargeToScan() throws {
        let source = try fixtures.wave(seconds: 30)
        _ = try fixtures.lame("v.mp3", "-V", "5", "-t", source: source)
        let bytes = try fixtures.bytes("v.mp3")
        var long: [UInt8] = []
        while long.count <= Int(Mpg123Decoder.scanAtOpen) { long += bytes }
        try fixtures.write("long.mp3", long)
        let reference = try fixtures.reference(fixtures.path("long.mp3")).count / 2
        let decoder = try openDecoder(fixtures.path("long.mp3"))
        #expect(!decoder.media.durationIsExact)
        #expect(abs(decoder.media.duration! - FrameCount(reference)) < FrameCount(reference) / 10)
        _ = try decoder.frames(44_100 * 20)
        #expect(abs(decoder.media.duration! - FrameCount(reference)) < FrameCount(reference) / 20)
        #expect(decoder.media.encoding.bitrateMode == .variable)
        let target = FrameCount(reference / 2)
        #expect(try decoder.seek(to: target) == target)
        #expect(decoder.media.durationIsExact)
        #expect(decoder.media.duration == FrameCount(reference))
    }

    @Test func duration_ofFilesPutTogether_isNotTakenFromTheFirstHeader() throws {
        let bytes = try fixtures.clean(.constant)
        let file = try fixtures.write("twice.mp3", bytes + bytes + bytes)
        let reference = try fixtures.reference(file)
        let decoder = try openDecoder(file)
        #expect(abs(decoder.media.duration! - 3 * 8 * 44_100) < 10_000)
        let decoded = try decoder.frames()
        #expect(decoded.samples.count == reference.count)
        #expect(distance(decoded.samples, reference) <= 1)
        #expect(decoder.media.duration == FrameCount(reference.count / 2))
    }

    @Test func newFormat_whenRateAndChannelsChangeMidStream() throws {
        _ = try fixtures.lame("a.mp3", "-b", "128", "-t", source: try fixtures.wave("a.wav", seconds: 2))
        _ = try fixtures.lame(
            "b.mp3", "-b", "64", "-t", "-m", "m", "--resample", "32", source: try fixtures.wave("b.wav", seconds: 2))
        let both = try fixtures.write("both.mp3", try fixtures.bytes("a.mp3") + fixtures.bytes("b.mp3"))
        let decoder = try openDecoder(both)
        #expect(decoder.media.format == AudioFormat(sampleRate: 44_100, layout: .stereo))
        let first = try decoder.frames()
        #expect(!first.ended)
        #expect(decoder.media.format == AudioFormat(sampleRate: 32_000, layout: .mono))
        let second = try decoder.frames()
        #expect(second.ended)
        #expect(abs(first.samples.count / 2 - 88_200) < 4_000)
        #expect(abs(second.samples.count - 64_000) < 4_000)
    }

    @Test(arguments: [
        (Kind.constant, "mp3", 3, "1", 128_000), (.mpeg2, "mp3", 3, "2", 64_000), (.mpeg25, "mp3", 3, "2.5", 16_000),
        (.layer2, "mp2", 2, "1", 192_000), (.layer2LowRate, "mp2", 2, "2", 64_000), (.padded48, "mp3", 3, "1", 320_000),
        (.layer1, "mp1", 1, "1", 384_000),
    ])
    func encodingEqualsFfprobe_constantRate(kind: Kind, codec: String, layer: Int, version: String, rate: Int) throws {
        let file = try kind.make(fixtures)
        let encoding = try openDecoder(file).media.encoding
        #expect(encoding.codec == codec)
        #expect(encoding.layer == layer)
        #expect(encoding.mpegVersion == version)
        #expect(encoding.bitrate == rate)
        #expect(encoding.bitrateMode == .constant)
        let probe = try fixtures.run(
            "ffprobe", "-v", "error", "-show_entries", "stream=codec_name,bit_rate", "-of", "csv=p=0", file)
        #expect(probe.hasPrefix("\(codec),\(rate)"))
    }

    /// ffprobe's bit rate for each encoder and mode; FFmpeg leaves the LAME tag's method unset.
    @Test(arguments: [
        (["lame", "-b", "192"], MediaDescription.Encoding.BitrateMode.constant), (["lame", "-V", "2"], .variable),
        (["lame", "--abr", "150"], .average), (["ffmpeg", "-b:a", "192k"], .constant),
        (["ffmpeg", "-b:a", "64k", "-ac", "1"], .constant), (["ffmpeg", "-q:a", "2"], .variable),
    ])
    func bitrateEqualsFfprobe(encoder: [String], mode: MediaDescription.Encoding.BitrateMode) throws {
        let source = try fixtures.wave()
        let file = fixtures.path("rate.mp3")
        let options = Array(encoder.dropFirst())
        let command: [String] =
            encoder[0] == "lame"
            ? ["lame", "--quiet"] + options + [source, file]
            : ["ffmpeg", "-v", "error", "-y", "-i", source] + options + [file]
        try fixtures.folder.run(command)
        let encoding = try openDecoder(file).media.encoding
        let probe = try fixtures.run(
            "ffprobe", "-v", "error", "-show_entries", "stream=bit_rate", "-of", "csv=p=0", file)
        let expected = try #require(Int(probe.prefix { $0.isNumber }))
        #expect(encoding.bitrateMode == mode)
        #expect(encoding.bitrate == expected)
    }

    @Test func bitrateMode_perKind() throws {
        func encoding(_ kind: Kind) throws -> MediaDescription.Encoding {
            try openDecoder(try kind.make(fixtures)).media.encoding
        }
        #expect(try encoding(.variable).bitrateMode == .variable)
        #expect(try encoding(.variableNoHeader).bitrateMode == .variable)
        #expect(try encoding(.vbri).bitrateMode == .variable)
        #expect(try encoding(.average).bitrateMode == .average)
        let free = try encoding(.freeFormat)
        #expect(free.bitrateMode == .free)
        #expect(abs(free.bitrate! - 400_000) < 1_000)
    }

    @Test func bytesAreReadOnce_withALargeTag() throws {
        let stream = try fixtures.clean(.constant)
        let tag: [UInt8] = [0x49, 0x44, 0x33, 3, 0, 0, 5, 0, 0, 0] + [UInt8](repeating: 0, count: 5 << 21)
        let source = MemorySource(tag + stream)
        let decoder = try Mpg123Decoder(source)
        #expect(source.bytesRead < tag.count + 128 * 1_024)
        #expect(try decoder.frames().samples.count / 2 == Int(decoder.media.duration!))
        #expect(source.bytesRead < tag.count + stream.count + 256 * 1_024)
    }

    @Test func streamThatCannotSeek_plays() throws {
        let stream = try fixtures.clean(.constant)
        let decoder = try Mpg123Decoder(MemorySource(stream, isSeekable: false))
        #expect(!decoder.media.isSeekable)
        #expect(try decoder.frames().samples.count / 2 == 8 * 44_100)
        #expect(throws: MediaError.self) { try decoder.seek(to: 0) }
    }

    @Test func cancelled_whereverOpeningIsInterrupted() throws {
        let bytes = try fixtures.clean(.variableNoHeader)
        var reads = 1
        while true {
            do {
                _ = try Mpg123Decoder(MemorySource(bytes + bytes, closesAfter: reads))
                break
            } catch {
                #expect(error.code == .cancelled, "after \(reads) reads: \(error)")
            }
            reads += 1
        }
        #expect(reads > 5)
    }

    @Test func cancelled_whenSourceIsClosed() throws {
        let source = MemorySource(try fixtures.clean(.constant))
        let decoder = try Mpg123Decoder(source)
        source.close()
        let error = #expect(throws: MediaError.self) { try decoder.frames() }
        #expect(error?.code == .cancelled)
    }
}
