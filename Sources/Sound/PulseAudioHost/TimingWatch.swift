// SPDX-License-Identifier: Apache-2.0

import Audio
import Kernel

/// When to ask the server for the time, and whether its answers show a sink that moves.
struct TimingWatch {
    var isAsking = false
    private var lastAnswer = MonotonicTime(nanoseconds: 0)
    private var lastReadIndex: FrameCount = -1
    private var lastGrowth = MonotonicTime(nanoseconds: 0)
    private var startIndex: FrameCount = 0
    private var startTime = MonotonicTime(nanoseconds: 0)
    private var disconnectTime: MonotonicTime?

    /// Uncorked with the read index at `index`: the sink moves once it has read past that.
    mutating func started(at index: FrameCount, _ now: MonotonicTime) {
        startIndex = index
        lastReadIndex = index
        startTime = now
        lastGrowth = now
        lastAnswer = now
        isAsking = false
    }

    /// The sink woke: it moves once it has read past what it had read before it slept.
    mutating func woke(_ now: MonotonicTime) { started(at: lastReadIndex, now) }

    /// Whether the sink moves, by an answer with this read index.
    mutating func answered(readIndex: FrameCount, isPlaying: Bool, sinkLatency: Double, _ now: MonotonicTime) -> Bool {
        isAsking = false
        lastAnswer = now
        if readIndex != lastReadIndex {
            lastReadIndex = readIndex
            lastGrowth = now
        }
        guard readIndex > startIndex else { return false }
        return isPlaying
            ? now.seconds(since: lastGrowth) < sinkLatency + 0.25 : secondsUnheard(sinkLatency: sinkLatency, now) > 0
    }

    /// Of what the sink had read when the server's queue ran empty: it plays that, whatever it still calls its latency.
    func secondsUnheard(sinkLatency: Double, _ now: MonotonicTime) -> Double {
        max(0, sinkLatency - now.seconds(since: lastGrowth))
    }

    /// Requests come every 100-200 ms and each asks for the time; this is for when they do not come.
    var staleTime: MonotonicTime { lastAnswer.advanced(bySeconds: 0.3) }

    func isStale(_ now: MonotonicTime, isRunning: Bool) -> Bool {
        now >= (isRunning ? staleTime : verificationTime(now))
    }

    /// Asked often right after the start, so that the first movement is noticed within milliseconds.
    func verificationTime(_ now: MonotonicTime) -> MonotonicTime {
        lastAnswer.advanced(bySeconds: now.seconds(since: startTime) < 0.3 ? 0.002 : 0.05)
    }

    mutating func disconnectDeadline(_ now: MonotonicTime) -> MonotonicTime {
        let deadline = disconnectTime ?? now.advanced(bySeconds: 2)
        disconnectTime = deadline
        return deadline
    }
}
