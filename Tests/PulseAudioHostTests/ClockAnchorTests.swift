// SPDX-License-Identifier: Apache-2.0

import Kernel
import Testing

@testable import PulseAudioHost

@Suite struct ClockAnchorTests {
    private func learned(_ measured: Double, taken: Double, from known: Double = 0.025) -> Double {
        var anchor = ClockAnchor(
            heard: 0, time: MonotonicTime(nanoseconds: 0), sampleRate: 44_100, sinkLatency: known)
        anchor.learn(measured, configured: 0.02, taken: taken)
        return anchor.sinkLatency
    }

    @Test func latencyRisesAtOnce_andFallsSlowly() {
        #expect(learned(0.15, taken: 1) == 0.15)
        #expect(abs(learned(0.05, taken: 1, from: 0.15) - 0.13) < 1e-9)
        #expect(learned(0.001, taken: 0, from: 0.01) == 0.02, "as configured")
    }

    @Test func framesTaken_beginAnewWithEachSink() {
        var watch = TimingWatch()
        let now = MonotonicTime(nanoseconds: 0)
        watch.started(at: 1_000, now)
        _ = watch.answered(readIndex: 5_000, isPlaying: true, sinkLatency: 0, now)
        #expect(watch.framesTaken == 4_000)
        watch.moved()
        #expect(watch.framesTaken == 0)
        _ = watch.answered(readIndex: 6_000, isPlaying: true, sinkLatency: 0, now)
        #expect(watch.framesTaken == 1_000)
    }

    /// An idle null sink has rendered up to 2 s of silence.
    @Test func silenceAheadOfTheStream_isNoLatency() {
        #expect(learned(2, taken: 0) == 0.025)
        #expect(learned(1.9, taken: 0.02) == 0.025)
        #expect(learned(1.9, taken: 0.02, from: 0.15) == 0.15)
    }
}
