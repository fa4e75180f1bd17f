// SPDX-License-Identifier: Apache-2.0

import Audio
import Kernel

/// The stream's time, by the server's last answer.
struct ClockAnchor: Hashable, Sendable {
    /// Stream index audible at `time`, in frames.
    var heard: Double
    var time: MonotonicTime
    /// Whether the sink has consumed our samples.
    var isRunning = false
    var sampleRate: Int
    /// Maximum seconds from the server's queue to the speaker, as measured or configured.
    var sinkLatency = 0.025

    /// Without an answer for this time the clock stops: a frozen server must not look alive.
    static let trust = 0.6

    @_noLocks @_noAllocation
    func heard(at now: MonotonicTime) -> Double {
        guard isRunning else { return heard }
        return heard + min(Self.trust, elapsed(at: now)) * Double(sampleRate)
    }

    /// The first index that the sink has surely not consumed yet, with time for a message to arrive.
    @_noLocks @_noAllocation
    func safeIndex(at now: MonotonicTime) -> FrameCount {
        FrameCount(clamping: heard + (elapsed(at: now) + sinkLatency + Self.margin) * Double(sampleRate))
    }

    /// As `MonotonicTime.seconds(since:)`, which the compiler cannot check here.
    @_noLocks @_noAllocation
    private func elapsed(at now: MonotonicTime) -> Double {
        max(0, Double(now.nanoseconds - time.nanoseconds) / 1e9)
    }

    private static let margin = 0.006

    /// Adds a measurement. Small differences are noise and are smoothed; larger ones are real.
    mutating func update(measured: Double, isRunning: Bool, _ now: MonotonicTime) {
        let expected = heard(at: now)
        let difference = measured - expected
        let isNoise = self.isRunning && abs(difference) < 0.01 * Double(sampleRate)
        heard = isNoise ? expected + difference * 0.25 : measured
        time = now
        self.isRunning = isRunning
    }

    /// Follows a growing latency at once and a falling one slowly: a margin that is too small would lose frames. All in seconds;
    /// `taken`: as much of the stream as the sink has taken. An idle sink has up to 2 s of silence ahead of that.
    mutating func learn(_ measured: Double, configured: Double, taken: Double) {
        let falling = min(0, max(measured, configured) - sinkLatency)
        sinkLatency = max(0.005, sinkLatency + falling * 0.2, configured, min(measured, taken))
    }

    /// Time at which `index` will be audible; nil while the clock does not advance.
    func time(of index: FrameCount) -> MonotonicTime? {
        isRunning ? time.advanced(bySeconds: (Double(index) - heard) / Double(sampleRate)) : nil
    }
}
