// SPDX-License-Identifier: Apache-2.0

import Media
import Playback
import Testing

@testable import Mpg123Decoding

@Suite struct OutlineTests {
    let stream: [UInt8]

    init() throws {
        stream = Array(try Fixtures().clean(.layer2).prefix(10_000))
    }

    private let factory = Mpg123DecoderFactory()

    @Test(arguments: [UInt8(2), 3, 4])
    func tagsAreTheSame_withThePictureLeftOut(version: UInt8) throws {
        let isShort = version == 2
        let large = TagBuilder.png + [UInt8](repeating: 3, count: 400_000)
        var tag = TagBuilder(version: version).text(isShort ? "TT2" : "TIT2", 1, TagBuilder.utf16("夜曲"))
        tag =
            isShort
            ? tag.frame("PIC", [0] + Array("PNG".utf8) + [3, 0] + large) : tag.picture(3, large, claims: "image/png")
        tag = tag.text(isShort ? "TP1" : "TPE1", 0, Array("Artist".utf8))
        let source = MemorySource(tag.bytes + stream)
        let outline = try factory.outline(source)
        var whole = try Mpg123Decoder(MemorySource(tag.bytes + stream)).media
        #expect(whole.tags.picture != nil)
        whole.tags.picture = nil
        #expect(outline.media.tags == whole.tags && outline.media.format == whole.format)
        // A file without its length in a header is not read through for it.
        let (estimate, exact) = (try #require(outline.media.duration), try #require(whole.duration))
        #expect(abs(estimate - exact) < 5_000)
        #expect(outline.hasPicture)
        #expect(source.bytesRead < 120_000, "the picture was read: \(source.bytesRead) bytes")
    }

    @Test func tagWithoutPicture_hasNone() throws {
        let outline = try factory.outline(
            MemorySource(TagBuilder(version: 3).text("TIT2", 0, Array("A".utf8)).bytes + stream))
        #expect(!outline.hasPicture && outline.media.tags.title == "A")
    }

    @Test(arguments: [0, 3, 9, 10, 11, 40, 200])
    func truncatedTag_isNoTrap(length: Int) throws {
        let bytes = TagBuilder(version: 3).text("TIT2", 0, Array("A".utf8)).picture(3, TagBuilder.png).bytes
        do throws(MediaError) {
            _ = try factory.outline(MemorySource(Array(bytes.prefix(length))))
        } catch {
            #expect(error.code != .cancelled)
        }
    }

    @Test func lyrics_areFoundInTheTag() throws {
        let tag = TagBuilder(version: 3).text("TIT2", 0, Array("A".utf8))
            .frame("USLT", [1] + Array("eng".utf8) + TagBuilder.utf16("") + [0, 0] + TagBuilder.utf16("一群\r\n嗜血"))
        #expect(try factory.lyrics(in: MemorySource(tag.bytes + stream)) == "一群\n嗜血")
        #expect(try Mpg123Decoder(MemorySource(tag.bytes + stream)).media.tags.comment == nil)
        #expect(try factory.lyrics(in: MemorySource(stream)) == nil)
    }
}
