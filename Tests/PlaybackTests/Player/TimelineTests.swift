// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Playback

@Suite struct TimelineTests {
    private let generation = Generation(1)

    private func timeline(_ starts: Int64...) -> Timeline {
        var timeline = Timeline(sampleRate: 100)
        for start in starts {
            timeline.append(
                Timeline.Segment(
                    generation: generation, run: DecodeRun(), start: start, position: 0, pace: .scan(4), end: nil))
        }
        return timeline
    }

    /// The last block of a scan may lie after the end of the media, without frames.
    @Test func runWithFrames_isNotEmpty_whenItsLastBlockIs() {
        #expect(!timeline(0, 12, 24).isEmpty(generation, DecodeRun(), end: 24))
        #expect(timeline(24).isEmpty(generation, DecodeRun(), end: 24))
    }
}
