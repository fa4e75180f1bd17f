// SPDX-License-Identifier: Apache-2.0

import Playback
import Testing

@testable import Media

@Suite struct IcyDemuxerTests {
    /// Sound of rising bytes with a block of text after each `interval` bytes.
    private func stream(_ blocks: [String], interval: Int) -> (bytes: [UInt8], sound: [UInt8]) {
        var bytes: [UInt8] = []
        var sound: [UInt8] = []
        for block in blocks {
            let part = (0..<interval).map { UInt8(truncatingIfNeeded: sound.count + $0) }
            sound += part
            bytes += part
            let size = (block.utf8.count + 15) / 16
            bytes += [UInt8(size)] + block.utf8 + [UInt8](repeating: 0, count: size * 16 - block.utf8.count)
        }
        return (bytes, sound)
    }

    @Test(arguments: [1, 2, 7, 16, 100, 10_000])
    func soundAndTextComeApart_howeverTheBytesAreCut(piece: Int) throws {
        let (bytes, sound) = stream(["StreamTitle='A';", "", "StreamTitle='B';", ""], interval: 50)
        var demuxer = try #require(IcyDemuxer(interval: 50))
        var taken: [UInt8] = []
        var blocks: [(at: Int, title: String?)] = []
        for start in stride(from: 0, to: bytes.count, by: piece) {
            let part = Array(bytes[start..<min(bytes.count, start + piece)])
            for found in part.withUnsafeBytes({ demuxer.take($0) }) {
                switch found {
                case .sound(let range): taken += part[range]
                case .metadata(let block): blocks.append((taken.count, IcyMetadata.programme(block)?.title))
                }
            }
        }
        #expect(taken == sound)
        #expect(blocks.map(\.at) == [50, 150])
        #expect(blocks.map(\.title) == ["A", "B"])
    }

    @Test func anIntervalThatNoServerMeans_isNone() {
        #expect(IcyDemuxer(interval: 0) == nil)
        #expect(IcyDemuxer(interval: -1) == nil)
        #expect(IcyDemuxer(interval: 1 << 40) == nil)
    }

    @Test(arguments: [
        ("StreamTitle='Plain';StreamUrl='http://a/b';", "Plain", "http://a/b"),
        ("StreamTitle='Rock 'n' Roll; live';", "Rock 'n' Roll; live", nil),
        ("streamtitle='lower case';", "lower case", nil),
        ("StreamTitle='no end", "no end", nil),
        ("StreamTitle='no semicolon'", "no semicolon", nil),
        ("StreamUrl='x';StreamTitle='second';", "second", "x"),
        ("StreamTitle='  \u{1}spaces\u{7}  ';", "spaces", nil),
        ("StreamTitle='劉若英';", "劉若英", nil),
    ])
    func titlesAreRead(text: String, title: String?, url: String?) {
        let programme = IcyMetadata.programme(Array(text.utf8) + [0, 0, 0])
        #expect(programme?.title == title)
        #expect(programme?.url == url)
    }

    @Test func anEmptyTitleIsNone_andOtherTextIsNoProgramme() {
        #expect(IcyMetadata.programme(Array("StreamTitle='';".utf8)) == Broadcast.Programme(title: nil))
        #expect(IcyMetadata.programme(Array("Nonsense".utf8)) == nil)
        #expect(IcyMetadata.programme([]) == nil)
    }

    @Test(arguments: [([0x4D, 0xF6, 0x74], "Möt"), ([0xBA, 0xF3, 0xC0, 0xB4], "后来")] as [([UInt8], String)])
    func olderEncodingsAreRead_whereTheTextIsNoUTF8(bytes: [UInt8], title: String) {
        #expect(IcyMetadata.programme(Array("StreamTitle='".utf8) + bytes + Array("';".utf8))?.title == title)
    }
}
