// SPDX-License-Identifier: Apache-2.0

import Kernel
import Playback
import Testing

@testable import PulseAudioHost

@Suite struct ClockBoardTests {
    /// The index never falls. Until the other sink is there, it stands, which is shown if it takes long.
    @Test(arguments: [(0.3, true), (2, false)] as [(Double, Bool)])
    func theClockStands_afterAMoveToASinkOfHigherLatency(latency: Double, isAdvancing: Bool) {
        let (board, now) = (ClockBoard(), MonotonicTime(nanoseconds: 0))
        func read(heard: Double) -> OutputClock {
            var map = SegmentMap()
            map.append(StreamSegment(start: 0, frames: 480_000, ringStart: 0))
            let anchor = ClockAnchor(heard: heard, time: now, isRunning: true, sampleRate: 48_000)
            board.publish(anchor, map: map, cursor: 480_000, stream: 1)
            return board.read(at: now)
        }
        #expect(read(heard: 144_000).isAdvancing)
        let moved = read(heard: 144_000 - latency * 48_000)
        #expect(moved.ringIndex == 144_000 && moved.isAdvancing == isAdvancing)
        let later = read(heard: 150_000)
        #expect(later.ringIndex == 150_000 && later.isAdvancing)
    }
}
