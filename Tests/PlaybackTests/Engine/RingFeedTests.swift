// SPDX-License-Identifier: Apache-2.0

import Audio
import Testing

@testable import Playback

@Suite struct RingFeedTests {
    private let ring = FrameRing(format: AudioFormat(sampleRate: 44_100, layout: .mono), capacity: 88_200, retained: 0)

    private func feed(held seconds: Double = 0) -> RingFeed {
        RingFeed(
            ring, ring.grant().lease, buffering: DecodeBuffering(), overlapLimit: SharedSeconds(seconds: seconds),
            cancellation: MediaCancellation())
    }

    private func write(_ samples: [Float], _ feed: inout RingFeed) throws {
        try samples.withUnsafeBufferPointer { try feed.write($0) }
    }

    /// A sound server takes more than half a second at once: frames in the sink's queue were not heard (SPEC row 278).
    @Test func theEndOfAShortItemIsHeldBack_whereTheSinkTakesAllAtOnce() throws {
        var feed = feed(held: 0.75)
        feed.approach(end: 1.5)
        for _ in 0..<15 {
            try write([Float](repeating: 0.5, count: 4_410), &feed)
            ring.skip(to: ring.writeIndex)
        }
        var held = 0
        #expect(throws: MediaError.self) {
            try feed.finish { tail, _ in
                ring.skip(to: ring.writeIndex)
                held = tail.take().count
            }
        }
        #expect(held == 33_075)
    }

    /// No item takes the tail, and the sink plays the earlier frames for at least half a second.
    @Test func theEndIsWritten_whenNothingFollows() throws {
        var feed = feed(held: 0.4)
        feed.approach(end: 1.5)
        try write([Float](repeating: 0.5, count: 66_150), &feed)
        try feed.finish { _, _ in ring.skip(to: ring.writeIndex) }
        #expect(feed.end == 66_150 && ring.writeIndex == 66_150)
    }

    @Test func theLeadIsSkipped_forAnyChunkSizes() throws {
        for chunk in [1, 7, 100] {
            let start = ring.writeIndex
            var feed = feed()
            feed.lead = 10
            for _ in 0..<100 / chunk { try write([Float](repeating: 0.5, count: chunk), &feed) }
            #expect(ring.writeIndex - start == FrameCount(100 / chunk * chunk - 10))
        }
    }
}
