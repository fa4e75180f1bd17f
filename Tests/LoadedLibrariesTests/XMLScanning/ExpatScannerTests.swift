// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import Media
@testable import LoadedLibraries

@Suite struct ExpatScannerTests {
    private func list(_ text: String) throws -> MediaList? {
        try XMLLists.read(Array(text.utf8), with: ExpatScanner())
    }

    @Test func podcastsGiveTheirEpisodes() throws {
        let list = try #require(
            try list(
                """
                <?xml version="1.0" encoding="UTF-8"?>
                <rss version="2.0" xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd"><channel>
                <title>The &amp; Show</title><itunes:author>Somebody</itunes:author>
                <image><title>Not this one</title><url>http://h/i.png</url></image>
                <item><title><![CDATA[Episode 2 <b>]]></title><enclosure url="http://h/2.mp3?a=1&amp;b=2" type="audio/mpeg" length="1"/></item>
                <item><title>Only text</title><link>http://h/blog</link></item>
                <item><title>A picture</title><enclosure url="http://h/p.jpg" type="image/jpeg"/></item>
                <item><title>Episode 1</title><itunes:author>Else</itunes:author><enclosure url="1.mp3" type="audio/mpeg"/></item>
                </channel></rss>
                """))
        #expect(list.entries.map(\.reference) == ["http://h/2.mp3?a=1&b=2", "1.mp3"])
        #expect(list.entries.map(\.title) == ["Episode 2 <b>", "Episode 1"])
        #expect(list.entries.map(\.artist) == ["Somebody", "Else"])
        #expect(list.entries.map(\.album) == ["The & Show", "The & Show"])
    }

    @Test func atomGivesItsEnclosures() throws {
        let list = try #require(
            try list(
                """
                <feed xmlns="http://www.w3.org/2005/Atom"><title>Feed</title><author><name>Who</name></author>
                <entry><title>One</title><link href="http://h/page"/><link rel="enclosure" type="audio/mpeg" href="http://h/1.mp3"/></entry>
                </feed>
                """))
        #expect(
            list.entries == [
                MediaList.Entry(reference: "http://h/1.mp3", title: "One", artist: "Who", album: "Feed", picture: nil)
            ])
    }

    @Test func xspfGivesItsTracks() throws {
        let list = try #require(
            try list(
                """
                <?xml version="1.0"?><playlist version="1" xmlns="http://xspf.org/ns/0/"><title>All</title><trackList>
                <track><location>a%20b.mp3</location><location>mirror.mp3</location><title>T</title><creator>C</creator>
                <album>A</album><image>i.png</image></track><track><title>No place</title></track>
                </trackList></playlist>
                """))
        #expect(
            list.entries == [
                MediaList.Entry(reference: "a%20b.mp3", title: "T", artist: "C", album: "A", picture: "i.png")
            ])
    }

    /// As they are found: tags in any case, ampersands as they come.
    @Test func asxIsRead_thoughItIsNotXML() throws {
        let list = try #require(
            try list(
                """
                <ASX version="3.0"><Title>Radio</Title>
                <Entry><Title>Rock & Roll</TITLE><Ref HREF="http://h/a?x=1&y=2"/><ref href="http://mirror/"/></entry>
                <EntryRef href="more.asx"/></ASX>
                """))
        #expect(list.entries.map(\.reference) == ["http://h/a?x=1&y=2", "more.asx"])
        #expect(list.entries.map(\.isList) == [false, true])
        #expect(list.entries[0].title == "Rock & Roll")
    }

    /// In a process of its own, whose peak is that of this list alone. Each ampersand becomes five bytes.
    @Test func asxOfAmpersands_isRefusedWithinBoundedMemory() async {
        await #expect(processExitsWith: .success) {
            func peakMemory() throws -> Int {
                let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
                let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") })
                return try #require(Int(line.filter(\.isNumber))) << 10
            }
            _ = try XMLLists.read(Array("<asx></asx>".utf8), with: ExpatScanner())
            for (tag, reason) in [
                ("<asx>", "it is longer than 16 MB"), ("<asx><ref href=\"", "a tag is longer than 256 KB"),
            ] {
                let bytes = Array(tag.utf8) + [UInt8](repeating: UInt8(ascii: "&"), count: 15 << 20)
                let before = try peakMemory()
                let error = #expect(throws: XMLScanError.self) { try XMLLists.read(bytes, with: ExpatScanner()) }
                #expect(error?.reason == reason)
                #expect(try peakMemory() - before < 64 << 20)
            }
        }
    }

    /// Each attribute takes 200 bytes of memory.
    @Test func aTagOfManyAttributes_isRefused() throws {
        let tag = { (count: Int) in "<rss " + (0..<count).map { "a\($0)=\"\"" }.joined(separator: " ") + "/>" }
        #expect(try list(tag(20_000)) != nil)
        let notes = "<![CDATA[" + String(repeating: "<br> ", count: 200_000) + "]]>"
        #expect(try list("<rss><channel><item><description>\(notes)</description></item></channel></rss>") != nil)
        let error = #expect(throws: XMLScanError.self) { try list(tag(50_000)) }
        #expect(error?.reason == "a tag is longer than 256 KB")
    }

    @Test func asxLongerThanAPiece_isReadWhole() throws {
        let entries = (0..<9_000).map {
            "<Entry><Title>\($0) & \(String(repeating: "x", count: 300))</Title><Ref HREF=\"http://h/a?x=\($0)&y=&lt;\"/></Entry>"
        }
        let text = "<ASX>" + entries.joined() + "</ASX>"
        #expect(text.utf8.count > 3 << 20)
        let list = try #require(try list(text))
        #expect(list.entries.map(\.reference) == (0..<9_000).map { "http://h/a?x=\($0)&y=<" })
    }

    @Test func entitiesAreRefused() {
        let bomb = """
            <?xml version="1.0"?><!DOCTYPE rss [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">]>
            <rss><channel><item><title>&b;</title></item></channel></rss>
            """
        let file = """
            <?xml version="1.0"?><!DOCTYPE rss [<!ENTITY x SYSTEM "file:///etc/passwd">]><rss><channel>&x;</channel></rss>
            """
        for text in [bomb, file] {
            let error = #expect(throws: XMLScanError.self) { try list(text) }
            #expect(error?.reason == "it declares entities")
        }
    }

    @Test func nonsenseIsRefused() throws {
        #expect(throws: XMLScanError.self) { try list("<rss><channel>") }
        #expect(throws: XMLScanError.self) { try list("<rss></feed>") }
        #expect(throws: XMLScanError.self) { try list("") }
        #expect(throws: XMLScanError.self) { try list("<rss>" + String(repeating: "<a>", count: 300)) }
        #expect(try list("<svg></svg>") == nil)
    }

    @Test(
        arguments: [
            ("windows-1252", 0xF6, "ö"), ("ISO-8859-15", 0xA4, "€"), ("windows-1251", 0xCF, "П"),
            ("Windows-1250", 0xE8, "č"), ("koi8-r", 0xF0, "П"), ("iso-8859-7", 0xE1, "α"), ("iso-8859-1", 0xE1, "á"),
            ("windows-1255", 0xE0, "א"),
        ] as [(String, UInt8, String)])
    func olderSetsAreRead(encoding: String, byte: UInt8, character: String) throws {
        for mark in ["'", "\""] {
            let start = "<?xml version='1.0' encoding=\(mark)\(encoding)\(mark)?><rss><channel><item><title>K"
            let end = "ln</title><enclosure url=\"a.mp3\"/></item></channel></rss>"
            let bytes = Array(start.utf8) + [byte] + Array(end.utf8)
            #expect(try XMLLists.read(bytes, with: ExpatScanner())?.entries[0].title == "K\(character)ln")
        }
    }

    @Test(arguments: ["nonsense", "windows-1259"]) func unknownSets_areRefused(encoding: String) {
        let text = "<?xml version='1.0' encoding='\(encoding)'?><rss></rss>"
        let error = #expect(throws: XMLScanError.self) { try list(text) }
        #expect(error?.reason.hasPrefix("unknown encoding") == true)
    }
}
