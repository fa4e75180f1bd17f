// SPDX-License-Identifier: Apache-2.0

import Audio
import Foundation
import Kernel
import Media
import Playback
import Testing

@testable import Mpg123Decoding

/// Thousands of invalid files, the same in every run: each is refused or plays to its end, in bounded memory.
@Suite struct MutationTests {
    let fixtures: Fixtures

    init() throws { fixtures = try Fixtures() }

    @Test func mutatedFiles_comeToAnEnd() async throws {
        let kinds: [Kind] = [.constant, .variable, .variableNoHeader, .freeFormat, .mpeg25, .layer2, .layer1]
        var originals: [[UInt8]] = try kinds.map { Array(try fixtures.clean($0).prefix(5_000)) }
        originals.append(
            TagBuilder(version: 4).text("TIT2", 1, [0xFF, 0xFE, 0x41, 0]).picture(3, TagBuilder.png).bytes
                + originals[0])
        let before = try Self.peakMemory()
        // It runs alone, on two cores.
        await withTaskGroup(of: Void.self) { group in
            for half in 0..<2 {
                group.addTask { [originals] in
                    for seed in stride(from: half, to: 5_400, by: 2) {
                        var random = SeededGenerator(seed: UInt64(seed))
                        let mutated = Mutation.apply(to: originals[seed % originals.count], using: &random)
                        play(mutated, "seed \(seed)", &random)
                    }
                }
            }
        }
        #expect(try Self.peakMemory() - before < 64 << 20)
    }

    @Test func mutatedTags_comeToAnEnd_andTheMusicBehindPlays() throws {
        let stream = Array(try fixtures.clean(.constant).prefix(4_000))
        var played = 0
        let before = try Self.peakMemory()
        for seed in 0..<1_200 {
            var random = SeededGenerator(seed: 1_000_000 + UInt64(seed))
            if play(RandomTag.make(using: &random) + stream, "tag \(seed)", &random) { played += 1 }
        }
        #expect(try Self.peakMemory() - before < 64 << 20)
        // A tag with a wrong size may swallow the audio; other tags must not.
        #expect(played > 1_000, "\(played) of 1,200 were played")
    }

    /// Returns true if there was audio.
    @discardableResult
    private func play(_ bytes: [UInt8], _ name: String, _ random: inout SeededGenerator) -> Bool {
        let began = ContinuousClock.now
        defer { #expect(ContinuousClock.now - began < .seconds(20), "\(name) hangs") }
        do throws(MediaError) {
            let source = MemorySource(bytes)
            guard try Mpg123DecoderFactory().recognises(Array(bytes.prefix(4_096)), of: source) else { return false }
            let decoder = try Mpg123Decoder(source)
            let frames = try decodeAll(decoder, name)
            let target = FrameCount.random(in: 0...max(1, decoder.media.duration ?? 1), using: &random)
            _ = try decoder.seek(to: target)
            try decodeAll(decoder, name)
            return frames > 0
        } catch {
            #expect([.unsupported, .empty].contains(error.code), "\(name): \(error)")
            return false
        }
    }

    @discardableResult
    private func decodeAll(_ decoder: Mpg123Decoder, _ name: String) throws(MediaError) -> Int {
        let buffer = UnsafeMutableBufferPointer<Float>.allocate(capacity: 8_192)
        defer { buffer.deallocate() }
        var frames = 0
        for _ in 0..<10_000 {
            let decoded = try decoder.decode(into: buffer)
            frames += decoded.frames
            if decoded.endOfStream { return frames }
        }
        Issue.record("\(name) does not end")
        return frames
    }

    /// Bytes that the process has ever had resident (proc(5), VmHWM).
    private static func peakMemory() throws -> Int {
        let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
        let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") })
        return try #require(Int(line.filter(\.isNumber))) * 1_024
    }
}

private enum Mutation {
    static func apply(to original: [UInt8], using random: inout SeededGenerator) -> [UInt8] {
        var bytes = original
        switch Int.random(in: 0..<5, using: &random) {
        case 0: bytes.removeLast(Int.random(in: 1..<bytes.count, using: &random))
        case 1:
            for _ in 0..<Int.random(in: 1...200, using: &random) {
                bytes[Int.random(in: bytes.indices, using: &random)] ^= 1 << UInt8.random(in: 0...7, using: &random)
            }
        case 2:
            // Where the headers and the tag are.
            for _ in 0..<Int.random(in: 1...8, using: &random) {
                bytes[Int.random(in: 0..<64, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
        case 3:
            let start = Int.random(in: bytes.indices, using: &random)
            bytes.removeSubrange(start..<min(bytes.count, start + Int.random(in: 1...3_000, using: &random)))
        default:
            let noise = RandomTag.bytes(1...4_096, using: &random)
            bytes.insert(contentsOf: noise, at: Int.random(in: bytes.indices, using: &random))
        }
        return bytes
    }
}

/// Invalid ID3v2 tags: random flags for unsynchronisation, extended headers and compression, frame sizes from zero to gigabytes, tags
/// within frames, text of odd length.
private enum RandomTag {
    static func make(using random: inout SeededGenerator) -> [UInt8] {
        let version = UInt8.random(in: 2...4, using: &random)
        var flags = UInt8.random(in: 0...255, using: &random)
        if Bool.random(using: &random) { flags &= 0x80 }
        // A footer is taken as part of the tag: leave it out, so that the size says where the music begins.
        flags &= ~0x10
        var body = flags & 0x40 != 0 ? extendedHeader(using: &random) : []
        for _ in 0..<Int.random(in: 0...12, using: &random) { body += frame(version, depth: 0, using: &random) }
        body += [UInt8](repeating: 0, count: Int.random(in: 0...32, using: &random))
        var size = body.count
        if Int.random(in: 0..<20, using: &random) == 0 { size = Int.random(in: 0...(1 << 28 - 1), using: &random) }
        return Array("ID3".utf8) + [version, 0, flags] + TagBuilder.syncSafe(size) + body
    }

    static func bytes(_ count: ClosedRange<Int>, using random: inout SeededGenerator) -> [UInt8] {
        (0..<Int.random(in: count, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
    }

    private static func extendedHeader(using random: inout SeededGenerator) -> [UInt8] {
        let size = [0, 1, 6, 10, 0x7FFF_FFFF, -1].randomElement(using: &random) ?? 0
        return TagBuilder.big(size) + bytes(0...12, using: &random)
    }

    private static func frame(_ version: UInt8, depth: Int, using random: inout SeededGenerator) -> [UInt8] {
        let names =
            version == 2
            ? ["TT2", "TP1", "COM", "PIC", "TXX", "ULT", "\0\0\0"]
            : [
                "TIT2", "TPE1", "TALB", "TCON", "TRCK", "COMM", "TXXX", "APIC", "USLT", "RVA2", "CHAP", "CTOC",
                "\0\0\0\0",
            ]
        let name = names.randomElement(using: &random) ?? "TIT2"
        let content = content(version, depth: depth, using: &random)
        let size =
            switch Int.random(in: 0..<8, using: &random) {
            case 0: 0
            case 1: 0x7FFF_FFFF
            case 2: -1
            case 3: Int.random(in: 0...(content.count * 2), using: &random)
            default: content.count
            }
        if version == 2 { return Array(name.utf8) + TagBuilder.big(size).dropFirst() + content }
        let flags = Bool.random(using: &random) ? [0, 0] : bytes(2...2, using: &random)
        return Array(name.utf8) + (version == 4 && size >= 0 ? TagBuilder.syncSafe(size) : TagBuilder.big(size)) + flags
            + content
    }

    private static func content(_ version: UInt8, depth: Int, using random: inout SeededGenerator) -> [UInt8] {
        switch Int.random(in: 0..<6, using: &random) {
        case 0: []
        // UTF-16 without a byte order mark, of odd length, with halves of surrogate pairs.
        case 1: [1] + bytes(1...33, using: &random)
        case 2: [2, 0xD8, 0x00] + bytes(0...9, using: &random)
        // Bytes that need unsynchronisation.
        case 3: [0] + [UInt8](repeating: 0xFF, count: Int.random(in: 0...40, using: &random)) + [0, 0xE0]
        case 4 where depth < 3:
            Array("ID3".utf8) + [version, 0, 0, 0, 0, 0, 40] + frame(version, depth: depth + 1, using: &random)
        default: [UInt8.random(in: 0...5, using: &random)] + bytes(0...200, using: &random)
        }
    }
}
