// SPDX-License-Identifier: Apache-2.0

import Playback
import Testing

@testable import PulseAudioHost

@Suite struct SoundWatchTests {
    /// 10 frames of silence between two segments.
    private func map() -> SegmentMap {
        var map = SegmentMap()
        map.append(StreamSegment(start: 0, frames: 150, ringStart: 0))
        map.append(StreamSegment(start: 160, frames: 100, ringStart: 150))
        return map
    }

    @Test func anUnderrunBetweenTwoChecks_isReportedOnce() {
        var watch = SoundWatch()
        #expect(watch.advance(to: 100, map()) == [.started])
        #expect(watch.advance(to: 170, map()) == [.ended, .started])
        // The clock was corrected.
        #expect(watch.advance(to: 140, map()) == [])
        #expect(watch.advance(to: 180, map()) == [])
        #expect(watch.advance(to: 260, map()) == [.ended])
    }

    @Test func anUnderrunThatIsSeen_endsWithTheNextFrames() {
        var watch = SoundWatch()
        #expect(watch.advance(to: 100, map()) == [.started])
        #expect(watch.advance(to: 155, map()) == [.ended])
        #expect(watch.advance(to: 165, map()) == [.started])
        #expect(watch.advance(to: 200, map()) == [])
    }
}
