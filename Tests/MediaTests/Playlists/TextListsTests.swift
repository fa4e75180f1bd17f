// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Media

@Suite struct TextListsTests {
    @Test func linesAreEntries_commentsAreNot() {
        let list = TextLists.m3u("#EXTM3U\r\n# a comment\r\na.mp3\r\n\r\n  b.mp3  \n#EXTVLCOPT:x=1\nc.mp3")
        #expect(list.entries.map(\.reference) == ["a.mp3", "b.mp3", "c.mp3"])
    }

    @Test(arguments: [
        ("#EXTINF:123,Artist - Title", "Artist", "Title"),
        ("#EXTINF:123.5 tvg-name=\"a, b\" group=\"x\",Artist - A - B", "Artist", "A - B"),
        ("#EXTINF:-1,Station - Jazz", nil, "Station - Jazz"),
        ("#extinf:0,Only a title", nil, "Only a title"),
        ("#EXTINF:5, - Untitled", nil, "- Untitled"),
        ("#EXTINF:5,", nil, nil),
        ("#EXTINF:5", nil, nil),
    ])
    func metadataLines(line: String, artist: String?, title: String?) {
        let list = TextLists.m3u("\(line)\na.mp3\nb.mp3")
        #expect(list.entries[0].artist == artist)
        #expect(list.entries[0].title == title)
        #expect(list.entries[1].title == nil)
    }

    @Test func filesOfPLSAreInTheOrderOfTheirNumbers() {
        let list = TextLists.pls(
            "[playlist]\nNumberOfEntries=3\nFile10=c\nTitle2=Second\nFile2=b\n File1 = http://a/x?y=1 \nLength1=-1\nFile3=\n"
        )
        #expect(list.entries.map(\.reference) == ["http://a/x?y=1", "b", "c"])
        #expect(list.entries.map(\.title) == [nil, "Second", nil])
    }

    @Test func entriesBeyondTheLimitAreLeftOut() {
        let list = TextLists.m3u((0...MediaList.maximumEntries).map { "\($0).mp3" }.joined(separator: "\n"))
        #expect(list.entries.count == MediaList.maximumEntries)
        #expect(list.isTruncated)
    }

    @Test(arguments: [
        ("#EXTM3U\na.mp3", false, MediaListFormat.m3u),
        ("a.mp3\nb.mp3", true, .m3u),
        ("a.mp3\nb.mp3", false, nil),
        ("[playlist]\nFile1=a", false, .pls),
        ("[Reference]\nRef1=http://a", false, .pls),
        ("#EXTM3U\n#EXT-X-VERSION:3\n#EXT-X-TARGETDURATION:10\n#EXTINF:9,\na.ts", false, .hls),
        ("#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\nlow.m3u8", false, .hls),
        ("<?xml version=\"1.0\"?>\n<rss version=\"2.0\">", false, .xml),
        ("<ASX version = \"3.0\">", false, .xml),
        ("<?xml version=\"1.0\"?><svg>", false, nil),
        ("<!doctype html><html>", true, nil),
        ("ID3\u{3}\u{0}\u{0}", true, nil),
        ("", true, nil),
    ])
    func formatsAreDetected(text: String, isNamedList: Bool, format: MediaListFormat?) {
        #expect(MediaListFormat(Array(text.utf8), isNamedList: isNamedList) == format)
    }

    @Test func textIsDecoded() {
        #expect(ListText.decode(Array("é".utf8)) == "é")
        #expect(ListText.decode([0xEF, 0xBB, 0xBF] + Array("é".utf8)) == "é")
        #expect(ListText.decode([0x4D, 0xF6, 0x74]) == "Möt")
        #expect(ListText.decode([0xFF, 0xFE, 0x61, 0x00, 0xE9, 0x00]) == "aé")
        #expect(ListText.decode([0xFE, 0xFF, 0x00, 0x61, 0x00, 0xE9]) == "aé")
        #expect(ListText.decode(Array("aé".utf8).dropLast()).hasPrefix("a"))
    }

    @Test(arguments: [
        ("a.m3u", true), ("x/a.M3U8", true), ("http://h/a.pls?token=1#x", true), ("a.xspf", true), ("a.asx", true),
        ("a.mp3", false), ("m3u", false), ("http://h/feed", false), ("http://h/x.m3u/y", false), ("a?.m3u", true),
    ])
    func namesOfLists(uri: String, isList: Bool) {
        #expect(MediaListFormat.isListName(uri) == isList)
    }
}
