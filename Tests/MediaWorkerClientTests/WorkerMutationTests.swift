// SPDX-License-Identifier: Apache-2.0

import Audio
import Foundation
import Media
import MediaWorkerClient
import Playback
import Testing

/// Files cut short and with bytes flipped, the same ones in every run: each plays to an end or is refused with a reason,
/// and this process stands. `TONEARM_MUTATIONS=10000` makes more of them.
@Suite struct WorkerMutationTests {
    static let count = ProcessInfo.processInfo.environment["TONEARM_MUTATIONS"].flatMap(Int.init) ?? 240

    @Test func mutatedFiles_comeToAnEnd() throws {
        let files = try MusicFiles()
        let names = try [
            files.make("a.flac", "-t", "1"), files.make("b.m4a", "-t", "1", "-c:a", "alac"),
            files.make("c.m4a", "-t", "1", "-c:a", "aac"), files.make("d.ogg", "-t", "1", "-c:a", "libvorbis"),
            files.make("e.opus", "-t", "1", "-c:a", "libopus"), files.make("f.wma", "-t", "1", "-c:a", "wmav2"),
            files.make("g.wv", "-t", "1"), files.make("h.wav", "-t", "1"), files.make("i.aiff", "-t", "1"),
            files.make("j.caf", "-t", "1"), files.make("k.webm", "-t", "1", "-c:a", "libopus"),
            files.make("l.aac", "-t", "1", "-c:a", "aac"), files.make("m.mka", "-t", "1", "-c:a", "flac"),
        ]
        let originals = try names.map { try files.bytes($0) }
        let factory = MediaWorkerFactory(testWorkers)
        var played = 0
        var crashes: [String] = []
        for seed in 0..<Self.count {
            var random = Random(state: UInt64(seed) &+ 1)
            let index = seed % names.count
            let bytes = random.mutate(originals[index])
            let source = BytesSource(bytes, name: "seed \(seed) of \(names[index])")
            let began = ContinuousClock.now
            do throws(MediaError) {
                guard try factory.recognises(Array(bytes.prefix(4_096)), of: source) else { continue }
                let decoder = try factory.open(source)
                _ = try decodeAll(decoder)
                _ = try decoder.seek(to: FrameCount(random.next() % 50_000))
                _ = try decodeAll(decoder)
                _ = try factory.outline(source)
                played += 1
            } catch {
                if error.code == .decoderFailed { crashes.append("\(source.name): \(error.message)") }
                #expect([.unsupported, .empty, .decoderFailed].contains(error.code), "\(source.name): \(error)")
            }
            #expect(ContinuousClock.now - began < .seconds(60), "\(source.name) hangs")
        }
        // A crash of FFmpeg would be borne, but should be known.
        for crash in crashes { print(crash) }
        #expect(crashes.count * 100 <= Self.count)
        #expect(played * 2 > Self.count, "\(played) of \(Self.count) were played")
    }

    struct Random: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state &+= 0x9E37_79B9_7F4A_7C15
            var value = state
            value = (value ^ value >> 30) &* 0xBF58_476D_1CE4_E5B9
            value = (value ^ value >> 27) &* 0x94D0_49BB_1331_11EB
            return value ^ value >> 31
        }

        mutating func mutate(_ original: [UInt8]) -> [UInt8] {
            var bytes = original
            if next() % 3 == 0 { bytes.removeLast(Int(next() % UInt64(bytes.count - 16))) }
            // Half of them where the headers are.
            for _ in 0..<Int(next() % 12) {
                let range = next() % 2 == 0 ? min(bytes.count, 600) : bytes.count
                bytes[Int(next() % UInt64(range))] = UInt8(truncatingIfNeeded: next())
            }
            return bytes
        }
    }
}
