// SPDX-License-Identifier: Apache-2.0

import Audio
import Kernel

/// Decides when to request the server's timing, and whether its answers show a sink that advances.
struct TimingWatch {
    var isPending = false
    private var lastAnswer = MonotonicTime(nanoseconds: 0)
    private var lastReadIndex: FrameCount = -1
    private var lastGrowth = MonotonicTime(nanoseconds: 0)
    private var startIndex: FrameCount = 0
    /// The read index from which on `framesTaken` counts.
    private var firstIndex: FrameCount = 0
    private var startTime = MonotonicTime(nanoseconds: 0)

    /// Uncorked with the read index `index`: the sink advances when it has read past that.
    mutating func started(at index: FrameCount, _ now: MonotonicTime) {
        startIndex = index
        firstIndex = index
        lastReadIndex = index
        startTime = now
        lastGrowth = now
        lastAnswer = now
        isPending = false
    }

    /// The sink woke up: it advances when it has read past its last index before the sleep.
    mutating func woke(_ now: MonotonicTime) { started(at: lastReadIndex, now) }

    /// Another sink took the stream over.
    mutating func moved() { firstIndex = lastReadIndex }

    /// Frames that the present sink has taken since it was uncorked, woke up, or took the stream over.
    var framesTaken: FrameCount { max(0, lastReadIndex - firstIndex) }

    /// Whether the sink advances, judged by an answer with this read index.
    mutating func answered(readIndex: FrameCount, isPlaying: Bool, sinkLatency: Double, _ now: MonotonicTime) -> Bool {
        lastAnswer = now
        if readIndex != lastReadIndex {
            lastReadIndex = readIndex
            lastGrowth = now
        }
        guard readIndex > startIndex else { return false }
        return isPlaying
            ? now.seconds(since: lastGrowth) < sinkLatency + 0.25 : secondsUnheard(sinkLatency: sinkLatency, now) > 0
    }

    /// After the server's queue ran empty the sink plays the frames that it has read, whatever latency it reports.
    func secondsUnheard(sinkLatency: Double, _ now: MonotonicTime) -> Double {
        max(0, sinkLatency - now.seconds(since: lastGrowth))
    }

    /// Write requests come every 100-200 ms, and each requests the timing; this interval applies when they do not come.
    var staleTime: MonotonicTime { lastAnswer.advanced(bySeconds: 0.3) }

    func isStale(_ now: MonotonicTime, isRunning: Bool) -> Bool {
        now >= (isRunning ? staleTime : verificationTime(now))
    }

    /// Short intervals right after the start, so that the first movement is noticed within milliseconds.
    func verificationTime(_ now: MonotonicTime) -> MonotonicTime {
        lastAnswer.advanced(bySeconds: now.seconds(since: startTime) < 0.3 ? 0.002 : 0.05)
    }
}
