// SPDX-License-Identifier: Apache-2.0

import Audio
import Foundation
import Kernel
import Media
import Playback
import Testing

/// Truncated files and files with changed bytes, the same in every run: each plays to its end or is refused with a reason, and this
/// process survives. `TONEARM_MUTATIONS` makes another number of them; 6,600 of MPEG audio are in `Mpg123DecodingTests`.
@Suite struct WorkerMutationTests {
    static let count = ProcessInfo.processInfo.environment["TONEARM_MUTATIONS"].flatMap(Int.init) ?? 500

    private enum Outcome: Sendable { case played, refused, crashed(String) }

    /// One file of each format, including formats that ffmpeg can only read.
    private static func originals() throws -> [(name: String, bytes: [UInt8])] {
        let files = try MusicFiles()
        let formats: [(String, [String])] = [
            ("a.flac", []), ("b.m4a", ["-c:a", "alac"]), ("c.m4a", ["-c:a", "aac"]), ("d.ogg", ["-c:a", "libvorbis"]),
            ("e.opus", ["-c:a", "libopus"]), ("f.wma", ["-c:a", "wmav2"]), ("g.wv", []), ("h.wav", []), ("i.aiff", []),
            ("j.caf", []), ("k.webm", ["-c:a", "libopus"]), ("l.aac", ["-c:a", "aac"]), ("m.mka", ["-c:a", "flac"]),
            ("n.mov", ["-c:a", "aac"]), ("o.3gp", ["-c:a", "aac"]), ("p.mp4", ["-c:a", "libmp3lame"]),
            ("q.mkv", ["-c:a", "aac"]), ("r.w64", []), ("s.tta", []), ("v.ts", ["-c:a", "aac"]),
            (
                "w.mp4",
                [
                    "-c:a", "aac", "-movflags", "+frag_keyframe+empty_moov+default_base_moof", "-frag_duration",
                    "200000",
                ]
            ),
        ]
        var originals = try formats.map { name, options in
            try files.make(name, ["-i", "source.wav", "-t", "0.5"] + options)
            return (name: name, bytes: try files.bytes(name))
        }
        originals.append(("t.dsf", RareFormats.dsf(blocks: 8)))
        originals.append(("u.ape", RareFormats.silentApe(frames: 22_050)))
        return originals
    }

    @Test func mutatedFiles_comeToAnEnd() async throws {
        let originals = try Self.originals()
        let factory = MediaWorkerFactory(testWorkers)
        // Most of the time is the workers' own: two are made at a time.
        let outcomes = await withTaskGroup(of: [Outcome].self) { group in
            for lane in 0..<2 {
                group.addTask {
                    stride(from: lane, to: Self.count, by: 2).map { Self.play(seed: $0, originals, factory) }
                }
            }
            return await group.reduce(into: []) { $0 += $1 }
        }
        let crashes = outcomes.compactMap { if case .crashed(let text) = $0 { text } else { nil } }
        let played = outcomes.count { if case .played = $0 { true } else { false } }
        // A crash of FFmpeg is tolerated, but reported.
        for crash in crashes { print(crash) }
        #expect(crashes.count * 100 <= Self.count)
        #expect(played * 2 > Self.count, "\(played) of \(Self.count) were played")
    }

    private static func play(
        seed: Int, _ originals: [(name: String, bytes: [UInt8])], _ factory: MediaWorkerFactory
    ) -> Outcome {
        var random = SeededGenerator(seed: UInt64(seed) &+ 1)
        let original = originals[seed % originals.count]
        let bytes = random.mutate(original.bytes)
        // A transport stream only plays as HLS segments.
        let source = BytesSource(
            bytes, name: "seed \(seed) of \(original.name)", isSeekable: !original.name.hasSuffix(".ts"))
        let began = ContinuousClock.now
        defer { #expect(ContinuousClock.now - began < .seconds(60), "\(source.name) hangs") }
        do throws(MediaError) {
            guard try factory.recognises(Array(bytes.prefix(4_096)), of: source) else { return .refused }
            let decoder = try factory.open(source)
            _ = try decodeAll(decoder)
            if decoder.media.isSeekable {
                _ = try decoder.seek(to: FrameCount(random.next() % 20_000))
                _ = try decodeAll(decoder)
            }
            // It starts a worker of its own.
            if seed % 4 == 0 { _ = try factory.outline(source) }
            return .played
        } catch {
            #expect([.unsupported, .empty, .decoderFailed].contains(error.code), "\(source.name): \(error)")
            return error.code == .decoderFailed ? .crashed("\(source.name): \(error.message)") : .refused
        }
    }
}

extension SeededGenerator {
    fileprivate mutating func mutate(_ original: [UInt8]) -> [UInt8] {
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
