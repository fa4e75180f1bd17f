// SPDX-License-Identifier: Apache-2.0

import Audio
import Testing

@testable import Playback

/// SPEC row 278: which items overlap, and for how long.
@Suite struct CrossfadeRuleTests {
    private func rule(
        _ seconds: Double, album: String? = nil, track: Int? = nil, disc: Int? = nil, rate: Double = 1,
        isExact: Bool = true, beginTime: Double = 0
    ) -> CrossfadeRule {
        let format = AudioFormat(sampleRate: 44_100, layout: .stereo)
        var tags = MediaDescription.Tags()
        (tags.album, tags.trackNumber, tags.discNumber) = (album, track, disc)
        let media = MediaDescription(
            format: format, duration: format.frames(seconds), durationIsExact: isExact, tags: tags)
        return CrossfadeRule(media, ItemDraft(uri: "a", beginTime: beginTime), rate: rate)
    }

    @Test func aShorterItem_makesItShorter() {
        #expect(rule(100).overlap(8, before: rule(100)) == 8)
        #expect(rule(100).overlap(8, before: rule(6)) == 3)
        #expect(rule(6).overlap(8, before: rule(100)) == 3)
        #expect(rule(100).overlap(0, before: rule(100)) == 0)
        #expect(rule(12, rate: 2).overlap(8, before: rule(100)) == 3)
        #expect(rule(100).overlap(8, before: rule(10, beginTime: 6)) == 2)
    }

    @Test func shortItems_andItemsWithoutExactLength_doNotOverlap() {
        #expect(rule(0.9).overlap(8, before: rule(100)) == 0)
        #expect(rule(100).overlap(8, before: rule(1 / 44_100)) == 0)
        #expect(rule(100, isExact: false).overlap(8, before: rule(100)) == 0)
        #expect(rule(100).overlap(8, before: rule(100, isExact: false)) == 0)
    }

    @Test func neighboursOfOneAlbum_joinAsTheyAre() {
        func overlap(_ one: (String?, Int?, Int?), _ other: (String?, Int?, Int?)) -> Double {
            rule(100, album: one.0, track: one.1, disc: one.2)
                .overlap(5, before: rule(100, album: other.0, track: other.1, disc: other.2))
        }
        #expect(overlap(("A", 1, nil), ("A", 2, nil)) == 0)
        #expect(overlap(("A", nil, nil), ("A", nil, nil)) == 0)
        #expect(overlap(("A", 9, 1), ("A", 1, 2)) == 0)
        #expect(overlap(("A", 1, nil), ("A", 3, nil)) == 5)
        #expect(overlap(("A", 2, 1), ("A", 3, 2)) == 5)
        #expect(overlap(("A", 1, nil), ("B", 2, nil)) == 5)
        #expect(overlap((nil, 1, nil), (nil, 2, nil)) == 5)
        #expect(overlap(("", 1, nil), ("", 2, nil)) == 5)
    }
}
