// SPDX-License-Identifier: Apache-2.0

import Audio
import LoadedLibraries
import Foundation
import Media
import Mpg123Decoding
import Playback
import PlaybackTesting
import Testing
import Kernel

/// HLS streams made by ffmpeg, through real workers: all samples, and seeks.
@Suite(.serialized) struct HLSDecodingTests {
    struct Cut: Sendable, CustomTestStringConvertible {
        var name: String
        var options: [String]
        var testDescription: String { name }
    }

    static let aac = ["-c:a", "aac", "-b:a", "128k", "-aac_pns", "0"]

    static let cuts = [
        Cut(name: "transport stream", options: aac),
        Cut(name: "transport stream with MP3", options: ["-c:a", "libmp3lame", "-b:a", "128k"]),
        Cut(name: "fragmented MP4", options: aac + ["-hls_segment_type", "fmp4"]),
        Cut(
            name: "fragmented MP4 in one file",
            options: aac + ["-hls_segment_type", "fmp4", "-hls_flags", "single_file"]),
        Cut(name: "fragmented MP4 with FLAC", options: ["-c:a", "flac", "-strict", "-2", "-hls_segment_type", "fmp4"]),
        Cut(name: "transport stream in one file", options: aac + ["-hls_flags", "single_file"]),
        Cut(
            name: "ciphered transport stream",
            options: aac + ["-hls_enc", "1", "-hls_enc_key", "0123456789abcdef", "-hls_enc_key_url", "key.bin"]),
    ]

    let files: MusicFiles
    let web = ScriptedWeb()

    init() throws {
        files = try MusicFiles()
        try files.make(
            "noise.wav",
            ["-f", "lavfi", "-i", "anoisesrc=d=14:c=pink:r=44100:a=0.3:seed=7", "-ac", "2"] + MusicFiles.pcm)
    }

    /// Segments of about 2 s, all of them on the web.
    private func cut(_ options: [String], name: String = "list.m3u8") throws {
        web["/key.bin"] = Array("0123456789abcdef".utf8)
        try files.ffmpeg(
            name, ["-i", files.path("noise.wav")] + options + ["-f", "hls", "-hls_time", "2", "-hls_list_size", "0"])
        for file in try FileManager.default.contentsOfDirectory(atPath: files.directory) where !file.hasSuffix(".wav") {
            web["/\(file)"] = try files.bytes(file)
        }
    }

    private func open(
        _ path: String = "list.m3u8",
        with factories: [any DecoderFactory] = [Mpg123DecoderFactory(), MediaWorkerFactory(testWorkers)]
    ) throws -> any AudioDecoder {
        let opener = NetworkMediaOpener(
            transport: web, limits: NetworkLimits(), cipher: OpenSSLCipher(), factories: factories,
            local: ScriptedOpener())
        return try opener.open(MediaLocator(uri: "http://web.example/\(path)"), cancellation: MediaCancellation())
    }

    private func playlist() throws -> String { String(decoding: try #require(web["/list.m3u8"]), as: UTF8.self) }

    private func frames(_ decoder: any AudioDecoder, at frame: Int, _ count: Int = 3_000) throws -> [Float] {
        #expect(try decoder.seek(to: FrameCount(frame)) == FrameCount(frame))
        return try decodeSome(decoder, frames: count)
    }

    @Test(arguments: cuts) func onDemand_isWhole_andSeeksAreExact(_ form: Cut) throws {
        try cut(form.options)
        let decoder = try open()
        let length = try #require(decoder.media.duration)
        #expect(abs(decoder.media.format.seconds(length) - 14) < 0.2)
        #expect(decoder.media.isSeekable && decoder.media.broadcast == nil)
        let whole = try decodeAll(decoder)
        #expect(abs(whole.count / 2 - 14 * 44_100) < 4_000, "\(whole.count / 2) frames")
        #expect(decoder.media.decodeErrors == 0)
        #expect(decoder.media.durationIsExact && decoder.media.duration == FrameCount(whole.count / 2))
        // Compared with the original noise, so that no segment is repeated or misplaced.
        let reference = try files.reference("noise.wav")
        let differences = (0...3_000).map { difference(whole, reference, shift: $0) }
        let shift = try #require(differences.indices.min { differences[$0] < differences[$1] })
        for second in 1...12 { #expect(correlation(whole, reference, at: second * 44_100, shift: shift) > 0.9) }
        for frame in [300_000, 88_200, 88_199, 441_000, 441_100, 0, 1_000, 610_000, 44_100] {
            let samples = try frames(decoder, at: frame)
            let largest = zip(samples, whole[(frame * 2)...]).map { abs($0 - $1) }.max() ?? 1
            #expect(largest < 0.0002, "at \(frame)")
            #expect(samples.count == min(6_000, whole.count - frame * 2))
        }
    }

    @Test func packedAudio_isPlacedByItsTags() throws {
        try cut(Self.aac + ["-hls_segment_type", "mpegts"])
        // ffmpeg's segment muxer writes packed audio without the tags: add them here.
        try files.ffmpeg(
            "part%d.aac",
            ["-i", files.path("noise.wav")] + Self.aac
                + [
                    "-f", "segment", "-segment_time", "2", "-segment_list", files.path("parts.csv"), "-segment_format",
                    "adts",
                ])
        var lines = ["#EXTM3U", "#EXT-X-TARGETDURATION:3"]
        let times = String(decoding: try files.bytes("parts.csv"), as: UTF8.self).split(separator: "\n")
        var frames = 0
        for (index, line) in times.enumerated() {
            let bytes = try files.bytes(String(line.split(separator: ",")[0]))
            let count = Self.adtsFrames(bytes)
            web["/p\(index).aac"] = Self.tag(ticks: UInt64((10 + Double(frames) * 1_024 / 44_100) * 90_000)) + bytes
            // Rounded, as on many servers.
            lines += ["#EXTINF:\((Double(count) * 1_024 / 44_100 * 10).rounded() / 10),", "p\(index).aac"]
            frames += count
        }
        web["/list.m3u8"] = Array((lines + ["#EXT-X-ENDLIST"]).joined(separator: "\n").utf8)
        let decoder = try open()
        let whole = try decodeAll(decoder)
        #expect(whole.count == frames * 2_048)
        for frame in [300_000, 88_200, 500_001] {
            let samples = try self.frames(decoder, at: frame)
            #expect(samples == Array(whole[(frame * 2)..<(frame * 2 + 6_000)]), "at \(frame)")
        }
    }

    @Test func aMissingSegment_isSilence_andTheRestIsInItsPlace() throws {
        try cut(Self.aac)
        let whole = try decodeAll(try open())
        web["/list2.ts"] = nil
        let decoder = try open()
        let holed = try decodeAll(decoder)
        #expect(decoder.media.decodeErrors == 1)
        #expect(abs(holed.count - whole.count) < 100)
        #expect(holed[(5 * 88_200)..<(5 * 88_200 + 20_000)].allSatisfy { $0 == 0 })
        #expect(holed[..<300_000] == whole[..<300_000])
        let place = 8 * 88_200
        #expect(zip(holed[place...], whole[place...]).allSatisfy { abs($0 - $1) < 0.0002 })
        // Four in a row are too many; the error names the cause.
        for index in 3...5 { web["/list\(index).ts"] = nil }
        let error = #expect(throws: MediaError.self) { try decodeAll(try open()) }
        #expect(error?.code == .notFound)
    }

    @Test func aDiscontinuity_mayChangeTheFormat() throws {
        try files.ffmpeg("other.wav", "-f", "lavfi", "-i", "sine=1000:r=48000:d=4", "-ac", "1", "-c:a", "pcm_s16le")
        try cut(Self.aac)
        try files.ffmpeg("ad.ts", "-i", files.path("other.wav"), "-c:a", "aac", "-f", "mpegts")
        web["/ad.ts"] = try files.bytes("ad.ts")
        let text = try playlist().replacing(
            "#EXT-X-ENDLIST\n", with: "#EXT-X-DISCONTINUITY\n#EXTINF:4,\nad.ts\n#EXT-X-ENDLIST\n")
        web["/list.m3u8"] = Array(text.utf8)
        let decoder = try open()
        let before = try decodeAll(try open("list.m3u8"))
        #expect(before.count > 14 * 88_200)
        _ = try decodeAll(decoder)
        #expect(decoder.media.format.sampleRate == 48_000 && decoder.media.format.channelCount == 1)
        // Back into the part before, and into the part behind.
        _ = try decoder.seek(to: 48_000)
        let buffer = UnsafeMutableBufferPointer<Float>.allocate(capacity: 4_096)
        defer { buffer.deallocate() }
        while try decoder.decode(into: buffer).frames == 0 {}
        #expect(decoder.media.format.sampleRate == 44_100)
    }

    /// Posts each opening.
    private struct ToldFactory: DecoderFactory {
        let inner: MediaWorkerFactory
        let openings: Mailbox<Bool>

        func recognises(_ head: [UInt8], of source: any ByteSource) throws(MediaError) -> Bool {
            try inner.recognises(head, of: source)
        }

        func open(_ source: any ByteSource) throws(MediaError) -> any AudioDecoder {
            defer { openings.post(true) }
            return try inner.open(source)
        }
    }

    @Test func theNextRun_isOpenedAhead_andNoOther() throws {
        try cut(Self.aac)
        let plain = try decodeAll(try open())
        let text = try playlist()
        let parts = text.components(separatedBy: "#EXTINF")
        // Each segment is a run of its own.
        web["/list.m3u8"] = Array(parts.joined(separator: "#EXT-X-DISCONTINUITY\n#EXTINF").utf8)
        let openings = Mailbox<Bool>()
        let decoder = try open(with: [ToldFactory(inner: MediaWorkerFactory(testWorkers), openings: openings)])
        #expect(openings.take(until: .now.advanced(bySeconds: 10)).count == 1)
        let buffer = UnsafeMutableBufferPointer<Float>.allocate(capacity: 8_820)
        defer { buffer.deallocate() }
        var frames = 0
        while frames < 8_820 { frames += try decoder.decode(into: buffer).frames }
        #expect(openings.take(until: .now.advanced(bySeconds: 10)).count == 1, "the next one, a second before its turn")
        #expect(openings.take(until: .now).isEmpty)
        frames += try decodeAll(decoder).count / 2
        #expect(openings.take(until: .now).count == parts.count - 3, "each once")
        // Each run contains the encoder delay, so there are a few frames more, and none is lost.
        #expect(frames >= plain.count / 2)
        #expect(decoder.media.decodeErrors == 0)
        // Seek back: the run opened ahead is for another place.
        _ = try decoder.seek(to: 44_100)
        #expect(try decoder.decode(into: buffer).frames > 0)
    }

    @Test func aMasterPlaylist_isTriedInOrder() throws {
        try cut(Self.aac)
        web["/master.m3u8"] = Array(
            "#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=256000,CODECS=\"mp4a.40.2\"\ngone.m3u8\n#EXT-X-STREAM-INF:BANDWIDTH=128000,CODECS=\"mp4a.40.2\"\nlist.m3u8\n"
                .utf8)
        let decoder = try open("master.m3u8")
        #expect(decoder.media.duration != nil)
        #expect(web.requests.prefix(3) == ["/master.m3u8", "/gone.m3u8", "/list.m3u8"])
    }

    @Test func aWrongKey_isAnError() throws {
        try cut(Self.aac + ["-hls_enc", "1", "-hls_enc_key", "0123456789abcdef", "-hls_enc_key_url", "key.bin"])
        web["/key.bin"] = Array("another key 1234".utf8)
        #expect(throws: MediaError.self) { try open() }
    }

    // MARK: Support

    private func difference(_ left: [Float], _ right: [Float], shift: Int) -> Float {
        stride(from: 400_000, to: 402_000, by: 50).reduce(0) { $0 + abs(left[$1 + shift * 2] - right[$1]) }
    }

    private func correlation(_ left: [Float], _ right: [Float], at frame: Int, shift: Int) -> Float {
        var (product, leftPower, rightPower): (Float, Float, Float) = (0, 0, 0)
        for index in stride(from: frame * 2, to: frame * 2 + 8_000, by: 2) {
            let (a, b) = (left[index + shift * 2], right[index])
            (product, leftPower, rightPower) = (product + a * b, leftPower + a * a, rightPower + b * b)
        }
        return product / (leftPower * rightPower).squareRoot()
    }

    private static func adtsFrames(_ bytes: [UInt8]) -> Int {
        var (offset, count) = (0, 0)
        while offset + 7 <= bytes.count {
            offset += Int(bytes[offset + 3] & 3) << 11 | Int(bytes[offset + 4]) << 3 | Int(bytes[offset + 5]) >> 5
            count += 1
        }
        return count
    }

    /// The tag with the time of packed audio.
    static func tag(ticks: UInt64) -> [UInt8] {
        let body =
            Array("com.apple.streaming.transportStreamTimestamp\0".utf8)
            + (0..<8).reversed().map { UInt8(truncatingIfNeeded: ticks >> ($0 * 8)) }
        let frame = Array("PRIV".utf8) + [0, 0, 0, UInt8(body.count), 0, 0] + body
        return Array("ID3".utf8) + [4, 0, 0, 0, 0, 0, UInt8(frame.count)] + frame
    }
}
