// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import RemoteAPI

@Suite struct LyricsTests {
    @Test func plainText_hasNoLines() {
        let lyrics = Lyrics("\nfirst\n\n[chorus]\nlast\n")
        #expect(lyrics.lines.isEmpty)
        #expect(lyrics.text == "first\n\n[chorus]\nlast")
    }

    @Test func times_areReadAndSorted() {
        let lyrics = Lyrics("[ti:Song]\r\n[00:10.50][01:02]again\r\n[00:01.5]<00:01.60>word <00:02.00>by word\r\n")
        #expect(
            lyrics.lines == [
                Lyrics.Line(time: 1.5, text: "word by word"), Lyrics.Line(time: 10.5, text: "again"),
                Lyrics.Line(time: 62, text: "again"),
            ])
        #expect(lyrics.text == "word by word\nagain\nagain")
    }

    @Test func positiveOffset_makesLinesEarlier() {
        #expect(Lyrics("[offset:+500]\n[00:02.00]a\n[00:00.10]b").lines.map(\.time) == [0, 1.5])
    }

    @Test(arguments: ["9223372036854775807", "1e308", "-1e308", "1e400", "nan", "inf", "-1"])
    func invalidOffsets_leaveTimesFinite(offset: String) {
        let lines = Lyrics("[offset:\(offset)]\n[00:02.00]a").lines
        #expect(lines.map(\.text) == ["a"] && (0...86_402).contains(lines[0].time))
    }

    @Test func aLineWithManyTimes_isBoundedInBytes() {
        let words = String(repeating: "la ", count: 20_000)
        let lyrics = Lyrics(String(repeating: "[00:01.00]", count: 12_000) + words)
        #expect(lyrics.lines.count == Lyrics.mostText / 60_000)
        #expect(lyrics.text.utf8.count <= Lyrics.mostText)
    }

    @Test func timedLines_areBoundedInNumber() {
        let lyrics = Lyrics(String(repeating: String(repeating: "[00:01.00]", count: 500) + "a\n", count: 500))
        #expect(lyrics.lines.count == Lyrics.mostLines)
        #expect(Lyrics(String(repeating: "a\n", count: 100_000)).text.utf8.count == 2 * Lyrics.mostLines - 1)
    }

    @Test(arguments: ["[99999999999:00]a", "[-1:00]a", "[00:60]a", "[1e3:00]a", "[", "[]", "[:]", "<", "[00:00"])
    func malformedBrackets_areText(line: String) {
        #expect(Lyrics(line).lines.isEmpty)
    }
}
