// SPDX-License-Identifier: Apache-2.0

import Playback
import Testing

@testable import Media

@Suite struct HLSClocksTests {
    private func clock(_ start: Double, grid: Int? = 1_024) -> MediaDescription.Clock {
        MediaDescription.Clock(start: start, grid: grid)
    }

    @Test func place_isRoundedToTheCodecsGrid() throws {
        var clocks = HLSClocks()
        clocks.learn(0, clock(1.4), at: 0)
        // The 431st frame, by a clock of 90 kHz.
        let exact = 431.0 * 1_024 / 44_100
        let reported = 1.4 + (exact * 90_000).rounded() / 90_000
        let place = try #require(clocks.place(0, clock(reported), rate: 44_100, estimate: 10))
        #expect((place * 44_100).rounded() == 431 * 1_024)
    }

    @Test func aClockThatWrapsAround_continues() throws {
        var clocks = HLSClocks()
        clocks.learn(0, clock(95_440, grid: nil), at: 0)
        let place = try #require(clocks.place(0, clock(6.2823, grid: nil), rate: 44_100, estimate: 10))
        #expect(abs(place - 10) < 0.001)
    }

    @Test func anotherRecording_orAnImplausibleTime_isIgnored() {
        var clocks = HLSClocks()
        clocks.learn(0, clock(1.4), at: 0)
        #expect(clocks.place(1, clock(11.4), rate: 44_100, estimate: 10) == nil)
        #expect(clocks.place(0, clock(500), rate: 44_100, estimate: 10) == nil)
    }

    @Test func tagOfPackedAudio_givesItsTime() {
        let tag = HLSDecodingTests.tag(ticks: 90_000)
        #expect(TimestampTag.seconds(in: tag) == 1)
        #expect(TimestampTag.seconds(in: Array(tag.dropLast(3))) == nil)
    }
}
