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

    @Test func positiveOffset_letsLinesComeEarlier() {
        #expect(Lyrics("[offset:+500]\n[00:02.00]a\n[00:00.10]b").lines.map(\.time) == [0, 1.5])
    }

    @Test(arguments: ["[99999999999:00]a", "[-1:00]a", "[00:60]a", "[1e3:00]a", "[", "[]", "[:]", "<", "[00:00"])
    func oddBrackets_areText(line: String) {
        #expect(Lyrics(line).lines.isEmpty)
    }
}
