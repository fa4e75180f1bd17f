// SPDX-License-Identifier: Apache-2.0

import Foundation
import Kernel
import Media
import Playback
import Testing

@testable import Mpg123Decoding

@Suite struct BadInputTests {
    let fixtures: Fixtures

    init() throws { fixtures = try Fixtures() }

    private func refusal(_ bytes: [UInt8]) throws -> MediaError? {
        let path = try fixtures.write("x.mp3", bytes)
        do { _ = try openDecoder(path) } catch let error as MediaError { return error }
        return nil
    }

    @Test func unsupported_whenTextPictureOrNoise() throws {
        let text = try refusal(Array(String(repeating: "All work and no play. ", count: 4_000).utf8))
        #expect(text?.code == .unsupported && text?.message.contains("text file") == true)
        let picture = try refusal(TagBuilder.png + [UInt8](repeating: 0xFF, count: 10_000))
        #expect(picture?.code == .unsupported && picture?.message.contains("PNG") == true)
        var random = SeededGenerator(seed: 3)
        let noise = try refusal((0..<200_000).map { _ in UInt8.random(in: 0...255, using: &random) })
        #expect(noise?.code == .unsupported)
        #expect(try refusal([UInt8](repeating: 0, count: 100_000))?.code == .unsupported)
        #expect(try refusal([UInt8](repeating: 0xFF, count: 100_000))?.code == .unsupported)
        #expect(try refusal([0xFF])?.code == .unsupported)
    }

    /// Including free-format frames, whose size is unknown, in the last bytes.
    @Test func headersAtTheEnd_areReadWithinBounds() {
        for count in [0, 1, 20, 40, 65_532] {
            for second in UInt8(0xE0)...0xFF {
                for third in stride(from: UInt8(0), through: 0xF0, by: 16) {
                    for tail in 0..<32 {
                        let bytes = [UInt8](repeating: 0, count: count) + [0xFF, second, third, 0]
                        _ = FrameHeader.find(in: bytes + [UInt8](repeating: 0, count: tail))
                    }
                    guard count < 100 else { break }
                }
            }
        }
    }

    @Test func unsupported_whenAnotherFormatHidesBehindATag() throws {
        let tag = TagBuilder(version: 3).text("TIT2", 0, Array("x".utf8)).bytes
        #expect(try refusal(tag + Array("fLaC".utf8) + [UInt8](repeating: 0, count: 9_000))?.code == .unsupported)
    }

    @Test func empty_whenNothingIsIn() throws {
        #expect(try refusal([])?.code == .empty)
        #expect(try refusal(TagBuilder(version: 3).text("TIT2", 0, Array("only a tag".utf8)).bytes)?.code == .empty)
        #expect(try refusal(Array("TAG".utf8) + [UInt8](repeating: 0x20, count: 125))?.code == .empty)
        // Only the header frame, zero frames of audio.
        let stream = try fixtures.clean(.constant)
        let header = FrameHeader(stream[...])!
        #expect(InfoFrame(stream) != nil)
        #expect(try refusal(Array(stream.prefix(header.size!)))?.code == .empty)
    }

    @Test(arguments: [UInt8(0xFF), 0x7F, 0], [true, false])
    func impossibleNumbersInTheHeader_areNotBelieved(byte: UInt8, isLocal: Bool) throws {
        var stream = try fixtures.clean(.variable)
        let xing = try #require(stream.firstRange(of: Array("Xing".utf8))).lowerBound
        let length = try Mpg123Decoder(MemorySource(stream)).frames().samples.count
        for place in xing + 8..<xing + 16 { stream[place] = byte }
        let decoder = try Mpg123Decoder(MemorySource(stream, isLocal: isLocal))
        _ = try decoder.seek(to: .max)
        _ = try decoder.seek(to: 0)
        #expect(abs(try decoder.frames().samples.count - length) < 10_000)
    }

    @Test func oneFrame_plays() throws {
        let stream = try fixtures.clean(.layer2)
        let one = Array(stream.prefix(FrameHeader(stream[...])!.size!))
        let decoder = try openDecoder(try fixtures.write("one.mp3", one))
        #expect(decoder.media.duration == 1_152)
        let decoded = try decoder.frames()
        #expect(decoded.samples.count == 1_152 * 2 && decoded.ended)
    }

    @Test func plays_afterLeadingJunk() throws {
        let stream = try fixtures.clean(.constant)
        var random = SeededGenerator(seed: 5)
        let junk = (0..<3_000).map { _ in UInt8.random(in: 0...0xFE, using: &random) }
        let decoder = try openDecoder(try fixtures.write("junk.mp3", junk + stream))
        #expect(abs(try decoder.frames().samples.count / 2 - 8 * 44_100) < 4 * 1_152)
    }
}
