// SPDX-License-Identifier: Apache-2.0

import Audio
import Foundation
import Media
import Playback
import Testing

/// Through a real worker process: the same samples as the ffmpeg program, and seeks.
@Suite(.serialized) struct WorkerDecodingTests {
    struct Format: Sendable, CustomTestStringConvertible {
        var name: String
        var options: [String] = []
        var isLossless = false
        /// Frames that ffmpeg decodes although the container declares them as padding.
        var padding = 0
        var testDescription: String { name }
    }

    static let formats = [
        Format(name: "a.flac", isLossless: true), Format(name: "b.m4a", options: ["-c:a", "alac"], isLossless: true),
        Format(name: "c.wv", isLossless: true), Format(name: "d.aiff", isLossless: true),
        Format(name: "e.wav", options: ["-c:a", "pcm_s24le"], isLossless: true),
        Format(name: "f.caf", isLossless: true), Format(name: "g.w64", isLossless: true),
        Format(name: "h.tta", isLossless: true), Format(name: "i.oga", options: ["-c:a", "flac"], isLossless: true),
        Format(name: "j.mka", options: ["-c:a", "flac"], isLossless: true),
        Format(name: "k.wav", options: ["-c:a", "pcm_f32le"], isLossless: true),
        Format(name: "l.m4a", options: ["-c:a", "aac", "-aac_pns", "0"], padding: 1_024),
        Format(name: "m.aac", options: ["-c:a", "aac", "-aac_pns", "0"]),
        Format(name: "n.mov", options: ["-c:a", "aac", "-aac_pns", "0"], padding: 1_024),
        Format(name: "o.mka", options: ["-c:a", "aac", "-aac_pns", "0"]),
        Format(name: "p.ogg", options: ["-c:a", "libvorbis"]),
        Format(name: "q.webm", options: ["-c:a", "libvorbis"]), Format(name: "r.opus", options: ["-c:a", "libopus"]),
        Format(name: "s.webm", options: ["-c:a", "libopus"]), Format(name: "t.wma", options: ["-c:a", "wmav2"]),
    ]

    let files: MusicFiles
    let factory = MediaWorkerFactory(testWorkers)

    init() throws { files = try MusicFiles() }

    @Test(arguments: formats) func decoding_equalsFFmpeg_andSeeksAreExact(_ format: Format) throws {
        try files.make(format.name, ["-i", "source.wav"] + format.options)
        let reference = try files.reference(format.name)
        let source = try files.source(format.name)
        #expect(try factory.recognises(try source.bytes(at: 0, count: 4_096), of: source))
        let decoder = try factory.open(source)
        let decoded = try decodeAll(decoder)
        let missing = (reference.count - decoded.count) / 2
        #expect((0...format.padding).contains(missing), "\(missing) frames are missing")
        #expect(decoder.media.decodeErrors == 0)
        #expect(decoder.media.duration == FrameCount(decoded.count / 2) && decoder.media.durationIsExact)
        if format.isLossless {
            #expect(decoded == Array(reference.prefix(decoded.count)))
        } else {
            #expect(decibels(decoded, reference) < -80)
        }
        // In any order.
        let frames = decoded.count / 2
        for place in [
            frames / 2, 5, frames - 3_000, 40_000, 41_000, 0, 100_001, frames - 44_000, frames - 9_000, frames - 20_000,
            frames - 1_000,
        ] {
            #expect(try decoder.seek(to: FrameCount(place)) == FrameCount(place))
            let part = try decodeSome(decoder, frames: 2_500)
            let expected = Array(decoded[(place * 2)..<min(decoded.count, place * 2 + part.count)])
            #expect(part.count == min(5_000, decoded.count - place * 2))
            if format.isLossless { #expect(part == expected) } else { #expect(decibels(part, expected) < -60) }
        }
        _ = try decoder.seek(to: FrameCount(frames))
        #expect(try decodeAll(decoder).isEmpty)
    }

    @Test func smallBuffers_giveTheSameSamples() throws {
        try files.make("a.flac")
        let whole = try decodeAll(try factory.open(try files.source("a.flac")))
        #expect(try decodeAll(try factory.open(try files.source("a.flac")), samples: 334) == whole)
    }

    @Test func tagsChaptersAndPicture_areRead() throws {
        try Data(
            ";FFMETADATA1\ntitle=題\nartist=A\nalbum=B\ntrack=3/12\ndisc=2\ndate=1999\ngenre=Jazz\n[CHAPTER]\nTIMEBASE=1/1000\nSTART=0\nEND=1500\ntitle=One\n[CHAPTER]\nTIMEBASE=1/1000\nSTART=1500\nEND=4000\ntitle=Two\n"
                .utf8
        ).write(to: URL(fileURLWithPath: files.path("meta.txt")))
        try files.ffmpeg("cover.png", "-f", "lavfi", "-i", "color=red:s=32x32:d=1", "-frames:v", "1")
        try files.ffmpeg(
            "t.m4a", "-i", files.path("source.wav"), "-i", files.path("meta.txt"), "-i", files.path("cover.png"),
            "-map", "0:a",
            "-map", "2:v", "-c:v", "copy", "-disposition:v", "attached_pic", "-map_metadata", "1", "-c:a", "aac")
        let source = try files.source("t.m4a")
        let media = try factory.open(source).media
        #expect(media.tags.title == "題")
        #expect(media.tags.artist == "A" && media.tags.album == "B" && media.tags.genre == "Jazz")
        #expect(media.tags.trackNumber == 3 && media.tags.trackTotal == 12 && media.tags.discNumber == 2)
        #expect(media.tags.picture?.mimeType == "image/png")
        #expect(media.tags.picture?.bytes == (try files.bytes("cover.png")))
        #expect(media.chapters.map(\.title) == ["One", "Two"] && media.chapters.map(\.start) == [0, 1.5])
        let outline = try factory.outline(source)
        #expect(outline.hasPicture && outline.media.tags.picture == nil && outline.media.tags.title == "題")
    }

    @Test func sourceWithoutSeeking_playsToTheEnd() throws {
        try files.make("a.flac")
        let source = BytesSource(try files.bytes("a.flac"), isSeekable: false, isLocal: false)
        let decoder = try factory.open(source)
        #expect(!decoder.media.isSeekable)
        #expect(try decodeAll(decoder) == files.reference("a.flac"))
        #expect(throws: MediaError.self) { try decoder.seek(to: 10) }
    }

    @Test(arguments: [("a.au", "pcm_s16be", "a.au"), ("a.wav", "adpcm_yamaha", "adpcm_yamaha")])
    func otherContainers_areRefused_andOtherCodecsNamed(name: String, codec: String, named: String) throws {
        try files.make(name, "-c:a", codec)
        let error = #expect(throws: MediaError.self) { try factory.open(try files.source(name)) }
        #expect(error?.code == .unsupported && error?.message.contains(named) == true)
    }

    /// Root mean square of the difference, against full scale.
    private func decibels(_ samples: [Float], _ reference: [Float]) -> Double {
        var sum = 0.0
        for index in samples.indices { sum += pow(Double(samples[index] - reference[index]), 2) }
        return 10 * log10(max(1e-30, sum / Double(max(1, samples.count))))
    }
}
