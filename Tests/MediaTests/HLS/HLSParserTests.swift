// SPDX-License-Identifier: Apache-2.0

import Kernel
import Playback
import Testing

@testable import Media

@Suite struct HLSParserTests {
    static let base = WebAddress("https://host.example/radio/list.m3u8?token=1")!

    private func parse(_ lines: [String]) throws -> HLSParser.Result {
        try HLSParser.parse(Array(lines.joined(separator: "\n").utf8), at: Self.base, reach: .anywhere)
    }

    private func media(_ lines: String...) throws -> HLSMediaPlaylist {
        guard case .media(let playlist) = try parse(lines) else { throw CancellationError() }
        return playlist
    }

    private func master(_ lines: String...) throws -> HLSMasterPlaylist {
        guard case .master(let playlist) = try parse(lines) else { throw CancellationError() }
        return playlist
    }

    @Test func segments_haveNumbersLengthsAndAddresses() throws {
        let playlist = try media(
            "#EXTM3U", "#EXT-X-TARGETDURATION:10", "#EXT-X-MEDIA-SEQUENCE:2680", "", "#EXTINF:9.009,A song", "a.ts",
            "#EXT-X-DISCONTINUITY", "#EXTINF:3.003,", "http://other.example/b.ts", "# a remark", "#EXTINF:4",
            "../c.ts?x=1")
        #expect(playlist.targetDuration == 10 && !playlist.isEnded)
        #expect(playlist.segments.map(\.sequence) == [2_680, 2_681, 2_682])
        #expect(playlist.segments.map(\.duration) == [9.009, 3.003, 4])
        #expect(playlist.segments.map(\.discontinuity) == [0, 1, 1])
        #expect(
            playlist.segments.map(\.media.reference.address.url) == [
                "https://host.example/radio/a.ts", "http://other.example/b.ts", "https://host.example/c.ts?x=1",
            ])
    }

    @Test func aSpaceAfterTheColon_isIgnored() throws {
        let playlist = try media(
            "#EXTM3U", "#EXT-X-TARGETDURATION: 10", "#EXT-X-MEDIA-SEQUENCE: 2680",
            "#EXT-X-DISCONTINUITY-SEQUENCE: 7", "#EXTINF: 9,", "a.ts")
        #expect(playlist.targetDuration == 10)
        #expect(playlist.segments.map(\.sequence) == [2_680] && playlist.segments.map(\.discontinuity) == [7])
    }

    @Test(arguments: [
        "9223372036854775807", "4611686018427387904", "9007199254740993", "281474976710657", "0", "-1", "NaN",
    ])
    func impossibleNumbers_areIgnored(number: String) throws {
        let playlist = try media(
            "#EXTM3U", "#EXT-X-TARGETDURATION:\(number)", "#EXT-X-MEDIA-SEQUENCE:\(number)",
            "#EXT-X-DISCONTINUITY-SEQUENCE:\(number)", "#EXT-X-MAP:URI=\"map\",BYTERANGE=\"\(number)@\(number)\"",
            "#EXTINF:\(number),", "none.ts", "#EXTINF:4,", "#EXT-X-BYTERANGE:\(number)@\(number)", "a.ts", "#EXTINF:4,",
            "#EXT-X-BYTERANGE:100@\(number)", "b.ts", "#EXTINF:4,", "c.ts")
        #expect((1...86_400).contains(playlist.targetDuration))
        for slot in playlist.slots {
            #expect(slot.segment.media.range?.upperBound ?? 0 <= ByteCount.largest)
            #expect((0...1 << 60).contains(slot.segment.sequence))
        }
        if number != "0" { #expect(playlist.segments.last?.map?.range == nil) }
        #expect(throws: MediaError.self) {
            try media(
                "#EXTM3U", "#EXTINF:4,", "#EXT-X-BYTERANGE:100@281474976710600", "a.ts", "#EXTINF:4,",
                "#EXT-X-BYTERANGE:\(number)", "a.ts", "#EXTINF:4,", "#EXT-X-BYTERANGE:100", "a.ts")
        }
    }

    /// RFC 8216, 4.3.2.2: without an offset, a range continues the previous one of the same file.
    @Test func byteRangesOfOneFile_followEachOther() throws {
        let playlist = try media(
            "#EXTM3U", "#EXT-X-TARGETDURATION:4", "#EXT-X-MAP:URI=\"all.mp4\",BYTERANGE=\"700@0\"",
            "#EXTINF:4,", "#EXT-X-BYTERANGE:1000@700", "all.mp4", "#EXTINF:4,", "#EXT-X-BYTERANGE:500", "all.mp4",
            "#EXT-X-ENDLIST")
        #expect(playlist.isEnded)
        #expect(playlist.segments.map(\.media.range) == [700..<1_700, 1_700..<2_200])
        #expect(playlist.segments[1].map?.range == 0..<700)
        #expect(throws: MediaError.self) {
            try media("#EXTM3U", "#EXTINF:4,", "#EXT-X-BYTERANGE:500", "all.mp4")
        }
    }

    /// RFC 8216, 5.2: the default vector is the sequence number.
    @Test func keys_holdUntilTheNext() throws {
        let playlist = try media(
            "#EXTM3U", "#EXT-X-MEDIA-SEQUENCE:258", "#EXTINF:4,", "a.ts",
            "#EXT-X-KEY:METHOD=AES-128,URI=\"k?a=b,c\"", "#EXTINF:4,", "b.ts",
            "#EXT-X-KEY:METHOD=AES-128,URI=\"k2\",IV=0x0000000000000000000000000000000F", "#EXTINF:4,", "c.ts",
            "#EXT-X-KEY:METHOD=NONE", "#EXTINF:4,", "d.ts")
        let keys = playlist.segments.map(\.media.key)
        #expect(keys[0] == nil && keys[3] == nil)
        #expect(keys[1]?.reference.address.url == "https://host.example/radio/k?a=b,c")
        #expect(keys[1]?.vector(for: playlist.segments[1].sequence) == [UInt8](repeating: 0, count: 14) + [1, 3])
        #expect(keys[2]?.vector(for: playlist.segments[2].sequence) == [UInt8](repeating: 0, count: 15) + [15])
    }

    @Test(arguments: [
        "#EXT-X-KEY:METHOD=SAMPLE-AES,URI=\"k\"",
        "#EXT-X-KEY:METHOD=AES-128,URI=\"k\",KEYFORMAT=\"com.apple.streamingkeydelivery\"",
        "#EXT-X-KEY:METHOD=AES-128",
    ]) func otherEncryption_isRefused(line: String) {
        #expect(throws: MediaError.self) { try media("#EXTM3U", line, "#EXTINF:4,", "a.ts") }
    }

    @Test func invalidEntries_areIgnored() throws {
        let playlist = try media(
            "#EXTM3U", "#EXT-X-TARGETDURATION:nonsense", "#EXT-X-MEDIA-SEQUENCE:-4", "#EXTINF:-1,", "a.ts",
            "#EXTINF:nan,", "b.ts",
            "#EXTINF:1e99,", "c.ts", "no length", "#EXTINF:2.5,", "d.ts", "#EXT-X-GAP", "#EXTINF:2.5,", "e.ts")
        #expect(playlist.segments.map(\.media.reference.address.file) == ["d.ts", "e.ts"])
        #expect(playlist.segments.map(\.isGap) == [false, true])
        #expect(playlist.segments[0].sequence == 0 && playlist.targetDuration == 3)
    }

    @Test func aPlaylistWithTooManySegments_isRefused() {
        let lines = ["#EXTM3U"] + [String](repeating: "#EXTINF:1,\na.ts", count: HLSParser.mostSegments + 1)
        #expect(throws: MediaError.self) { try parse(lines) }
    }

    private func long(_ count: Int, _ end: String...) throws -> HLSMediaPlaylist {
        let segments = (0..<count).map { "#EXTINF:2,\n\($0).ts" }
        return try media((["#EXTM3U", "#EXT-X-MEDIA-SEQUENCE:5"] + segments + end).joined(separator: "\n"))
    }

    @Test func longLivePlaylist_keepsItsEndOnly() throws {
        for count in [1_000, 1_001, 1_999, 2_000, 3_500, HLSParser.mostSegments] {
            let slots = try long(count).slots
            #expect(slots.count == HLSParser.mostLive)
            #expect(slots.last?.segment.sequence == Int64(count + 4))
            #expect(slots.last?.segment.media.reference.address.file == "\(count - 1).ts")
            #expect(slots.first?.segment.sequence == Int64(count + 5 - HLSParser.mostLive))
            #expect(slots.first?.segment.media.reference.address.file == "\(count - HLSParser.mostLive).ts")
        }
    }

    @Test func onDemand_keepsAllSegments_exactly() throws {
        let slots = try long(HLSParser.mostSegments, "#EXT-X-ENDLIST", "#EXTINF:2,", "behind.ts").slots
        #expect(slots.count == HLSParser.mostSegments && slots.last?.end == 100_000)
        #expect(slots[43_199].segment.media.reference.address.file == "43199.ts" && slots[43_199].start == 86_398)
    }

    /// Segments share the addresses of keys and initialization sections.
    @Test func sharedValues_areStoredOnce() throws {
        let name = String(repeating: "k", count: 4_000)
        let segments = (0..<40_000).map { "#EXTINF:2,\n\($0).ts" }
        let playlist = try media(
            (["#EXT-X-KEY:METHOD=AES-128,URI=\"\(name)\"", "#EXT-X-MAP:URI=\"m\(name)\""] + segments + [
                "#EXT-X-ENDLIST"
            ])
            .joined(separator: "\n"))
        #expect(playlist.slots.count == 40_000)
        #expect(playlist.slots.last?.segment.media.key?.reference.text.count == 4_000)
        #expect(playlist.slots.last?.segment.map?.reference.text.count == 4_001)
        #expect(playlist.slots.commonCount == 3, "base, key and map")
    }

    @Test(arguments: ["file:///etc/passwd", "ftp://host/a.ts", "data:audio/mpeg,x", "http:a.ts", "a\u{1}.ts", "a:b.ts"])
    func segmentThatIsNotAWebAddress_isRefused(reference: String) {
        #expect(throws: MediaError.self) { try media("#EXTM3U", "#EXTINF:4,", reference) }
    }

    @Test func oldEncodings_areRead() throws {
        let text = "#EXTM3U\n#EXTINF:4,\ncaf\u{E9}.ts\n#EXT-X-ENDLIST\n"
        for bytes in [Array(text.utf8), text.unicodeScalars.map { UInt8($0.value) }] {
            guard case .media(let playlist) = try HLSParser.parse(bytes, at: Self.base, reach: .anywhere) else {
                throw CancellationError()
            }
            #expect(playlist.segments[0].media.reference.address.url == "https://host.example/radio/caf%C3%A9.ts")
        }
        let wide: [UInt8] =
            [0xFF, 0xFE] + text.utf16.flatMap { (unit: UInt16) -> [UInt8] in [UInt8(unit & 0xFF), UInt8(unit >> 8)] }
        #expect(ListText.withoutUTF16(wide) == Array(text.utf8))
    }

    @Test func master_offersVariantsAndRenditions() throws {
        let playlist = try master(
            "#EXTM3U", "#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID=\"a\",NAME=\"Deutsch, laut\",DEFAULT=YES,URI=\"de.m3u8\"",
            "#EXT-X-STREAM-INF:BANDWIDTH=1280000,CODECS=\"avc1.4d401f,mp4a.40.2\",RESOLUTION=640x360,AUDIO=\"a\"",
            "low.m3u8")
        #expect(playlist.variants[0].codecs == ["avc1.4d401f", "mp4a.40.2"] && playlist.variants[0].hasPicture)
        #expect(HLSChoice.candidates(playlist).map(\.file) == ["de.m3u8"])
    }

    /// RFC 8216, 4.3.4.2.1: without an address, the track is in the variant itself.
    @Test(arguments: [("YES", "NO", "film.m3u8"), ("NO", "YES", "es.m3u8"), ("NO", "NO", "film.m3u8")])
    func theDefaultTrack_isChosen_alsoInTheVariantItself(own: String, other: String, chosen: String) throws {
        let playlist = try master(
            "#EXTM3U", "#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID=\"a\",NAME=\"English\",DEFAULT=\(own)",
            "#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID=\"a\",NAME=\"Español\",DEFAULT=\(other),URI=\"es.m3u8\"",
            "#EXT-X-STREAM-INF:BANDWIDTH=1280000,AUDIO=\"a\"", "film.m3u8")
        #expect(HLSChoice.candidates(playlist).map(\.file) == [chosen])
    }

    @Test func choice_isTheBestAudio_orTheCheapestVideo() throws {
        let stream = "#EXT-X-STREAM-INF:BANDWIDTH="
        let sound = try master(
            "#EXTM3U", stream + "900000,CODECS=\"avc1.4d401f,mp4a.40.2\"", "film",
            stream + "64000,CODECS=\"mp4a.40.5\"", "low",
            stream + "128000,CODECS=\"mp4a.40.2\"", "high", stream + "384000,CODECS=\"ec-3\"", "surround")
        #expect(HLSChoice.candidates(sound).map(\.file) == ["high", "low", "film", "surround"])
        let pictures = try master(
            "#EXTM3U", stream + "2000000,RESOLUTION=1x1", "b", stream + "800000,RESOLUTION=1x1", "a",
            stream + "8000000,RESOLUTION=1x1", "c")
        #expect(HLSChoice.candidates(pictures).map(\.file) == ["a", "b", "c"])
    }
}
