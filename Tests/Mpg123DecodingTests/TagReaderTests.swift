// SPDX-License-Identifier: Apache-2.0

import Media
import Playback
import Testing

@testable import Mpg123Decoding

@Suite struct TagReaderTests {
    let stream: [UInt8]

    init() throws {
        stream = Array(try Fixtures().clean(.layer2).prefix(10_000))
    }

    private func tags(_ builder: TagBuilder) throws -> MediaDescription.Tags {
        try Mpg123Decoder(MemorySource(builder.bytes + stream)).media.tags
    }

    @Test(arguments: [UInt8(3), 4])
    func fields_ofVersions3And4(version: UInt8) throws {
        let tags = try tags(
            TagBuilder(version: version)
                .text("TIT2", 1, TagBuilder.utf16("Jóga 🎵")).text("TPE1", 0, [0x42, 0x6A, 0xF6, 0x72, 0x6B])
                .text("TALB", 1, TagBuilder.utf16("Homogenic")).text("TPE2", 0, Array("Various".utf8))
                .text("TRCK", 0, Array("3/12".utf8)).text("TPOS", 0, Array("02/2".utf8)).text(
                    "TCON", 0, Array("(52)".utf8)
                )
                .text(version == 4 ? "TDRC" : "TYER", 0, Array("1997".utf8))
                .frame("COMM", [0] + Array("eng".utf8) + [0] + Array("a comment".utf8))
                .extra("REPLAYGAIN_TRACK_GAIN", "-6.48 dB").extra("replaygain_album_gain", "+1.5 dB")
                .extra("replaygain_track_peak", "0.988553").extra("REPLAYGAIN_ALBUM_PEAK", " 1.2"))
        #expect(tags.title == "Jóga 🎵")
        #expect(tags.artist == "Björk")
        #expect(tags.album == "Homogenic")
        #expect(tags.albumArtist == "Various")
        #expect(tags.trackNumber == 3 && tags.trackTotal == 12 && tags.discNumber == 2)
        #expect(tags.genre == "Electronic")
        #expect(tags.date == "1997")
        #expect(tags.comment == "a comment")
        #expect(tags.replayGain.trackGain == -6.48 && tags.replayGain.albumGain == 1.5)
        #expect(tags.replayGain.trackPeak == 0.988553 && tags.replayGain.albumPeak == 1.2)
    }

    @Test func fields_ofVersion2() throws {
        let tags = try tags(
            TagBuilder(version: 2).text("TT2", 0, Array("Old".utf8)).text("TP1", 1, TagBuilder.utf16("Ängel"))
                .text("TRK", 0, Array("7".utf8)).text("TYE", 0, Array("1999".utf8))
                .frame("PIC", [0] + Array("PNG".utf8) + [3, 0] + TagBuilder.png))
        #expect(tags.title == "Old")
        #expect(tags.artist == "Ängel")
        #expect(tags.trackNumber == 7)
        #expect(tags.date == "1999")
        #expect(tags.picture?.mimeType == "image/png")
    }

    @Test func utf8AndUTF16BigEndianAndSeveralValues_ofVersion4() throws {
        let tags = try tags(
            TagBuilder(version: 4).text("TIT2", 3, Array("後來".utf8)).text(
                "TPE1", 2, [0x52, 0x89, 0x82, 0xE5, 0x82, 0xF1]
            )
            .text("TCON", 3, Array("17\u{0}Jazz".utf8)))
        #expect(tags.title == "後來")
        #expect(tags.artist == "劉若英")
        #expect(tags.genre == "Rock; Jazz")
    }

    @Test func chineseMarkedLatin1_isRecognised() throws {
        // 劉若英 / 后来 / 雨 in GB18030; the last one alone could be "Óê".
        let tags = try tags(
            TagBuilder(version: 3).text("TPE1", 0, [0x84, 0xA2, 0xC8, 0xF4, 0xD3, 0xA2])
                .text("TIT2", 0, [0xBA, 0xF3, 0xC0, 0xB4]).text("TALB", 0, [0xD3, 0xEA]))
        #expect(tags.artist == "劉若英")
        #expect(tags.title == "后来")
        #expect(tags.album == "雨")
    }

    /// Characters beyond the common ones: the first has a byte that Latin-1 lacks, the second is beside a Chinese title.
    @Test func rareChineseMarkedLatin1_isRecognised() throws {
        let tags = try tags(
            TagBuilder(version: 3).text("TPE1", 0, [0xE0, 0x87, 0xFB, 0x90, 0xBE, 0xFD])
                .text("TIT2", 0, [0xBA, 0xF3, 0xC0, 0xB4]).text("TALB", 0, [0xEA, 0x8B, 0xDE, 0xC8]))
        #expect(tags.artist == "鄧麗君" && tags.title == "后来" && tags.album == "陭奕")
    }

    @Test(arguments: [
        "Björk", "Ångström", "Motörhead", "Sigur Rós - Ágætis byrjun", "Mylène Farmer", "Päätös", "CANÇÃO", "Ää",
        "Noël",
        "Señor Coconut", "Größe", "Åäö", "Déjà vu", "Ísland", "où créées", "¡Olé!", "Bläck Fööss", "Hüsker Dü",
    ])
    func realLatin1_stays(text: String) throws {
        let bytes = text.unicodeScalars.map { UInt8($0.value) }
        #expect(try tags(TagBuilder(version: 3).text("TIT2", 0, bytes)).title == text)
    }

    @Test func otherEncodingsMarkedLatin1_areRecognised() throws {
        let cyrillic: [UInt8] = [0xC3, 0xF0, 0xF3, 0xEF, 0xEF, 0xE0, 0x20, 0xEA, 0xF0, 0xEE, 0xE2, 0xE8]
        let tags = try tags(
            TagBuilder(version: 3).text("TIT2", 0, cyrillic).text("TALB", 0, Array("Füße".utf8))
                .text("TPE1", 0, [0x44, 0x6F, 0x6E, 0x92, 0x74]))
        #expect(tags.title == "Группа крови")
        #expect(tags.album == "Füße")
        #expect(tags.artist == "Don’t")
    }

    @Test func version1_fillsWhatIsMissing() throws {
        var v1 = Array("TAG".utf8)
        func add(_ bytes: [UInt8], _ size: Int) { v1 += bytes + [UInt8](repeating: 0, count: size - bytes.count) }
        add([0x84, 0xA2, 0xC8, 0xF4, 0xD3, 0xA2], 30)
        add(Array("Artist".utf8), 30)
        add(Array("Album".utf8), 30)
        add(Array("2001".utf8), 4)
        add(Array("hello".utf8), 28)
        v1 += [0, 9, 17]
        let tags = try Mpg123Decoder(
            MemorySource(TagBuilder(version: 3).text("TPE1", 0, Array("From v2".utf8)).bytes + stream + v1)
        ).media.tags
        #expect(tags.title == "劉若英")
        #expect(tags.artist == "From v2")
        #expect(tags.album == "Album" && tags.date == "2001" && tags.comment == "hello")
        #expect(tags.trackNumber == 9 && tags.genre == "Rock")
    }

    @Test func frontCoverIsPreferred_andTypeComesFromTheBytes() throws {
        let tags = try tags(
            TagBuilder(version: 3).picture(4, TagBuilder.jpeg).picture(3, TagBuilder.png, claims: "text/html"))
        #expect(tags.picture?.mimeType == "image/png")
        #expect(tags.picture?.bytes == TagBuilder.png)
        #expect(try self.tags(TagBuilder(version: 3).picture(3, Array("<script>".utf8))).picture == nil)
        let fallback = try self.tags(TagBuilder(version: 4).picture(0, TagBuilder.jpeg)).picture
        #expect(fallback?.mimeType == "image/jpeg")
    }

    @Test func gainFromTheLameHeader_whenNoTagHasOne() throws {
        let fixtures = try Fixtures()
        _ = try fixtures.lame("g.mp3", "-b", "128", "--replaygain-accurate", source: try fixtures.wave())
        let gain = try Mpg123Decoder(MemorySource(try fixtures.bytes("g.mp3"))).media.tags.replayGain.trackGain
        #expect(gain.map { $0 < -1 && $0 > -30 } == true)
    }

    @Test func utf16WithoutAMark_isLittleEndian_andOddBytesAreLeftOut() throws {
        #expect(TagText([1, 0x41, 0, 0x42, 0, 0x43])?.string() == "AB")
        #expect(TagText([2, 0, 0x41, 0, 0x42, 0])?.string() == "AB")
        #expect(TagText([1])?.string() == "")
        #expect(TagText([1, 0x41])?.string() == "")
        #expect(TagText([1, 0xFF])?.isEmpty == true)
        // Half a surrogate pair.
        #expect(TagText([2, 0xD8, 0x00, 0, 0x41])?.string() == "\u{FFFD}A")
        let bytes = TagBuilder(version: 3).text("TIT2", 1, [0x41, 0, 0x42, 0, 0x43]).text("TPE1", 0, Array("x".utf8))
            .bytes
        let tags = try Mpg123Decoder(MemorySource(bytes + stream)).media.tags
        #expect(tags.title == "AB" && tags.artist == "x")
    }

    @Test func unsynchronisedTags_areRead() throws {
        let content: [UInt8] = [0] + Array("caf".utf8) + [0xFF, 0x00, 0xE9]
        let frame = Array("TIT2".utf8) + TagBuilder.big(content.count) + [0, 0] + content
        let tag = Array("ID3".utf8) + [3, 0, 0x80] + TagBuilder.syncSafe(frame.count) + frame
        #expect(try Mpg123Decoder(MemorySource(tag + stream)).media.tags.title == "cafÿé")
    }

    @Test func extendedHeader_isPassedOver() throws {
        // ID3v2.3, 3.2: the size without itself, flags, size of padding.
        let extended = TagBuilder.big(6) + [0, 0] + TagBuilder.big(0)
        let frame = Array("TIT2".utf8) + TagBuilder.big(2) + [0, 0, 0, 0x41]
        let tag =
            Array("ID3".utf8) + [3, 0, 0x40] + TagBuilder.syncSafe(extended.count + frame.count) + extended + frame
        #expect(try Mpg123Decoder(MemorySource(tag + stream)).media.tags.title == "A")
    }

    /// `MutationTests` has other hostile tags.
    @Test func manyTagsAndFrames_neitherHangNorStopTheMusic() throws {
        let many = [[UInt8]](repeating: TagBuilder(version: 3).bytes, count: 2_000).flatMap { $0 }
        let started = ContinuousClock.now
        do {
            _ = try Mpg123Decoder(MemorySource(many + stream)).frames()
        } catch let error as MediaError {
            #expect([.unsupported, .empty].contains(error.code))
        }
        // A million and more frames of text.
        let crowd =
            Array("ID3".utf8) + [3, 0, 0] + TagBuilder.syncSafe(12 * 1_500_000)
            + (0..<1_500_000).flatMap { _ in Array("TIT2".utf8) + [0, 0, 0, 2, 0, 0, 0, 0x41] }
        #expect(try Mpg123Decoder(MemorySource(crowd + stream)).media.tags.title == "A")
        #expect(ContinuousClock.now - started < .seconds(20))
    }
}
