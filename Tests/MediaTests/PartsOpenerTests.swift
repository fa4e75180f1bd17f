// SPDX-License-Identifier: Apache-2.0

import Audio
import Playback
import PlaybackTesting
import Synchronization
import Testing

@testable import Media

/// Several media that are heard as one.
@Suite struct PartsOpenerTests {
    /// `NAME-RATE-FRAMES`, each frame with the number of the opening; from afar if the name is a web address.
    private final class ToyOpener: MediaOpener {
        let opened = Mutex<[(uri: String, cancellation: MediaCancellation, loading: @Sendable (MediaLoading) -> Void)]>(
            [])

        func open(
            _ locator: MediaLocator, cancellation: MediaCancellation,
            loading: @escaping @Sendable (MediaLoading) -> Void
        ) throws(MediaError) -> any AudioDecoder {
            guard !locator.uri.hasPrefix("missing") else { throw MediaError(.notFound, "There is no such file.") }
            let count = opened.withLock { opened in
                opened.append((locator.uri, cancellation, loading))
                return opened.count
            }
            let numbers = locator.uri.split(separator: "-").dropFirst().compactMap { Int($0) }
            return ScriptedDecoder(
                ScriptedOpener.Script(
                    frames: FrameCount(numbers[1]), format: AudioFormat(sampleRate: numbers[0], layout: .mono),
                    base: Float(count), step: 0))
        }
    }

    private let base = ToyOpener()
    private let reports = Reports()

    private final class Reports: Sendable {
        let all = Mutex<[MediaLoading]>([])
    }

    private func open(_ uris: [String], _ cancellation: MediaCancellation = MediaCancellation()) throws
        -> any AudioDecoder
    {
        let locator = MediaLocator(uri: uris[0], oneShot: OneShot(timeout: 5, parts: Array(uris.dropFirst())))
        return try PartsOpener(base).open(locator, cancellation: cancellation) { [reports] loading in
            reports.all.withLock { $0.append(loading) }
        }
    }

    /// All frames, each with the rate that it is in.
    private func decode(_ decoder: any AudioDecoder) throws -> [(value: Float, rate: Int)] {
        var frames: [(Float, Int)] = []
        try withUnsafeTemporaryAllocation(of: Float.self, capacity: 3) { samples in
            while true {
                let rate = decoder.media.format.sampleRate
                let result = try decoder.decode(into: samples)
                frames += samples.prefix(result.frames).map { ($0, rate) }
                if result.endOfStream { return }
            }
        }
        return frames
    }

    @Test func areHeardInOrder_eachInItsFormat() throws {
        let decoder = try open(["a-8000-4", "b-16000-2", "c-8000-3"])
        #expect(
            base.opened.withLock { $0.map(\.uri) } == ["a-8000-4", "b-16000-2", "c-8000-3"],
            "all before the first is heard")
        #expect(decoder.media.duration == 8 && !decoder.media.durationIsExact)
        let frames = try decode(decoder)
        #expect(frames.map(\.value) == [1, 1, 1, 1, 2, 2, 3, 3, 3])
        #expect(frames.map(\.rate) == [8_000, 8_000, 8_000, 8_000, 16_000, 16_000, 8_000, 8_000, 8_000])
    }

    @Test func areSeekableAsOne() throws {
        let decoder = try open(["a-8000-4", "b-8000-4"])
        _ = try decode(decoder)
        #expect(try decoder.seek(to: 6) == 6)
        #expect(try decode(decoder).map(\.value) == [2, 2])
        #expect(try decoder.seek(to: 1) == 1)
        #expect(try decode(decoder).map(\.value) == [1, 1, 1, 2, 2, 2, 2])
    }

    @Test func areNotOpened_ifOneCannotBe() {
        var error = MediaError(.notFound, "There is no such file.")
        error.part = 1
        #expect(throws: error) { try open(["a-8000-4", "missing"]) }
    }

    @Test func endTogether() throws {
        let cancellation = MediaCancellation()
        let decoder = try open(["a-8000-4", "b-8000-4"], cancellation)
        #expect(decoder.media.isSeekable)
        let ended = Atomic(0)
        base.opened.withLock { opened in
            for part in opened { part.cancellation.onCancel { ended.add(1, ordering: .relaxed) } }
        }
        cancellation.cancel()
        #expect(ended.load(ordering: .relaxed) == 2)
    }

    /// A local chime of 0.5 s, and speech of 2 s of which 1 s has arrived.
    @Test func loadingIsReportedInTotalTime() throws {
        _ = try open(["chime-8000-4000", "http://speech-8000-16000"])
        #expect(reports.all.withLock { $0.isEmpty })
        let report = base.opened.withLock { $0[1].loading }
        report(MediaLoading(ranges: [0..<1_000], size: 2_000, bytesPerSecond: 500))
        let loading = try #require(reports.all.withLock { $0.last })
        #expect(loading.ranges == [0..<1_500] && loading.size == 2_500 && loading.place == 0)
        #expect(loading.bytesPerSecond == 500 && loading.unitsPerSecond == 1_000 && !loading.isSatisfied)
        report(MediaLoading(ranges: [0..<2_000], size: 2_000, isSatisfied: true))
        #expect(reports.all.withLock { $0.last?.isSatisfied } == true)
        #expect(reports.all.withLock { $0.last?.ranges } == [0..<2_500])
    }
}
