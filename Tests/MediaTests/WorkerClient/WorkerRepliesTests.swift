// SPDX-License-Identifier: Apache-2.0

import Audio
import Foundation
@testable import Media
import MediaWorkerProtocol
import Kernel
import KernelTesting
import Playback
import Testing

/// A hostile worker may send any reply: its item fails or plays, and the server survives.
@Suite(.serialized) struct WorkerRepliesTests {
    let files: MusicFiles
    private static let extremes: [Int64] = [
        .max, .min, -1, 0, 1, 1 << 62, 1 << 53 + 1, 1 << 48 + 1, 1 << 48, 1 << 32, 1 << 31,
    ]

    init() throws { files = try MusicFiles() }

    /// A program that sends these bytes and ignores all requests.
    private func worker(_ replies: [[UInt8]]) throws -> MediaWorkerFactory {
        let bytes = files.path("replies")
        try Data(replies.joined()).write(to: URL(fileURLWithPath: bytes))
        let script = try files.program("worker", "cat '\(bytes)' >&3\nexec cat <&3 >/dev/null")
        var limits = WorkerLimits()
        limits.answer = 0.2
        return MediaWorkerFactory(MediaWorkers(MediaWorkers.find(script), limits: limits))
    }

    /// Opens, decodes, seeks and decodes as a player does. Checks that the decoded frames fit the buffer.
    private func use(_ factory: MediaWorkerFactory) throws {
        let source = CheckedSource()
        let decoder = try factory.open(source)
        let samples = UnsafeMutableBufferPointer<Float>.allocate(capacity: 20_000)
        defer { samples.deallocate() }
        for round in 0..<4 {
            let channels = decoder.media.format.channelCount
            let decoded = try decoder.decode(into: samples)
            #expect(decoded.frames >= 0 && decoded.frames * channels <= samples.count)
            // As the player uses the values.
            if let duration = decoder.media.duration { #expect(decoder.media.format.seconds(duration) >= 0) }
            if round == 1, decoder.media.isSeekable { #expect(try decoder.seek(to: 100) >= 0) }
        }
    }

    private static func media(_ number: Int64 = 44_100) -> WorkerMedia {
        var media = WorkerMedia(
            format: AudioFormat(sampleRate: 44_100, layout: .stereo), duration: number, durationIsExact: true,
            isSeekable: true, codec: "flac", bitrate: Int(number), bitsPerSample: Int(number))
        (media.start, media.grid) = (Double(number), Int(number))
        media.chapters = [.init(start: Double(number), end: Double(number), title: "One")]
        return media
    }

    private static let decoded = WorkerReply.decoded(WorkerProgress(frames: 1_000, endOfStream: true)).message()

    @Test(arguments: extremes) func impossibleNumbers_areRefused(number: Int64) throws {
        let body = withUnsafeBytes(of: number.littleEndian) { Array($0) }
        func message(_ kind: UInt8, _ body: [UInt8]) -> [UInt8] { [UInt8(body.count), 0, 0, 0, kind, 0, 0, 0] + body }
        let sane = Self.media(24).withinLimits
        let count: [UInt8] = [0, 16, 0, 0]
        let isLength = WorkerMedia.lengths.contains(number)
        let cases: [(replies: [[UInt8]], fails: Bool?)] = [
            ([message(2, body + count), WorkerReply.opened(sane).message()], !isLength ? true : nil),
            ([WorkerReply.opened(sane).message(), Self.decoded, message(5, body), Self.decoded], !isLength),
            ([WorkerReply.opened(Self.media(number)).message(), Self.decoded], number == 1 ? nil : true),
        ]
        for (replies, fails) in cases {
            var failure: MediaError?
            do { try use(worker(replies)) } catch let error as MediaError { failure = error }
            if fails == true { #expect(failure?.code == .decoderFailed, "\(failure?.message ?? "it plays")") }
            if fails == false { #expect(failure == nil) }
        }
    }

    /// Many valid replies in random order, with random bytes changed.
    @Test func randomReplies_failTheItemAtMost() throws {
        var random = SeededGenerator(seed: 1)
        let sane: [WorkerReply] = [
            .ready, .read(offset: 4_096, count: 4_096), .opened(Self.media(24).withinLimits),
            .decoded(WorkerProgress(frames: 1_000)),
            .decoded(
                WorkerProgress(
                    frames: 16_384, endOfStream: true, damage: 7, format: AudioFormat(sampleRate: 1_000, layout: .mono),
                    duration: 9)),
            .sought(frame: 100), .picture([1, 2, 3]), .image(time: 1, bytes: [0xFF, 0xD8, 0xFF]),
            .failed(WorkerFailure(.empty, "there is no sound in it")),
        ]
        var failures = 0
        for round in 0..<60 {
            var replies = (0..<Int.random(in: 1...12, using: &random)).map { _ in
                sane.randomElement(using: &random)?.message() ?? []
            }
            if round % 2 == 0 { replies.insert(sane[2].message(), at: 0) }
            for index in replies.indices where Bool.random(using: &random) {
                for _ in 0..<Int.random(in: 1...4, using: &random) {
                    replies[index][Int.random(in: 0..<replies[index].count, using: &random)] = UInt8.random(
                        in: 0...255, using: &random)
                }
            }
            do {
                try use(worker(replies))
            } catch let error as MediaError {
                failures += 1
                #expect([.decoderFailed, .empty, .unsupported, .unreadable].contains(error.code))
            }
        }
        #expect(failures > 10)
        let factory = MediaWorkerFactory(testWorkers)
        #expect(throws: Never.self) { try decodeAll(try factory.open(try files.source(files.make("a.flac")))) }
    }

    /// The server sets the limit, so the worker cannot lift it. One that ignores the signal ends when its answer is overdue.
    @Test func aWorkerThatNeverRests_isEndedByTheKernel() throws {
        let script = try files.program("busy", "printf '\\0\\0\\0\\0\\1\\0\\0\\0' >&3\nwhile :; do :; done")
        var limits = WorkerLimits()
        limits.processor = 1
        let busy = MediaWorkers(MediaWorkers.find(script), limits: limits)
        let process = try busy.start()
        #expect(process.allowProcessorTime(1))
        // The server has not reaped it yet.
        let state = "/proc/\(process.identifier)/stat"
        #expect(try eventually { try String(contentsOfFile: state, encoding: .utf8).contains(") Z ") })
        #expect(process.endAndDescribe().hasPrefix("was killed by signal \(SIGXCPU) "))
    }
}

/// Silence of known length. Checks that all offsets are valid.
private final class CheckedSource: ByteSource {
    let name = "song.flac"
    let isSeekable = true
    let size: ByteCount? = 1_048_576

    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(MediaError) -> Int {
        #expect((0...(1 << 48)).contains(offset))
        return offset < 1 << 20 ? buffer.count : 0
    }

    func close() {}
}
