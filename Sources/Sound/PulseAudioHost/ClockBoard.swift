// SPDX-License-Identifier: Apache-2.0

import Audio
import Playback
import Synchronization
import Kernel

/// The stream's clock, written by the mainloop thread and read by any: a sequence lock, so readers never delay the
/// writer and enter no mutex.
///
/// `@unchecked Sendable` because `words` are atomics whose memory lives as long as the board.
final class ClockBoard: @unchecked Sendable {
    private static let wordCount = 8 + 3 * SegmentMap.capacity
    private let words: UnsafeMutablePointer<Atomic<Int64>>
    private let sequence = Atomic<UInt64>(0)
    /// Highest published index, below the stream's number: the clock never goes back.
    private let floor = Atomic<UInt64>(0)

    init() {
        words = .allocate(capacity: Self.wordCount)
        for index in 0..<Self.wordCount { (words + index).initialize(to: Atomic(0)) }
        words[4].store(48_000, ordering: .relaxed)
    }

    deinit {
        words.deinitialize(count: Self.wordCount)
        words.deallocate()
    }

    /// Mainloop thread only. `number` rises with every stream.
    func publish(_ anchor: ClockAnchor, map: SegmentMap, cursor: FrameCount, stream number: UInt16) {
        sequence.wrappingAdd(1, ordering: .acquiringAndReleasing)
        atomicMemoryFence(ordering: .releasing)
        words[0].store(Int64(number), ordering: .relaxed)
        words[1].store(Int64(bitPattern: anchor.heard.bitPattern), ordering: .relaxed)
        words[2].store(anchor.time.nanoseconds, ordering: .relaxed)
        words[3].store(anchor.isRunning ? 1 : 0, ordering: .relaxed)
        words[4].store(Int64(anchor.sampleRate), ordering: .relaxed)
        words[5].store(cursor, ordering: .relaxed)
        words[6].store(Int64(map.count), ordering: .relaxed)
        for position in 0..<map.count {
            let segment = map[position]
            words[8 + 3 * position].store(segment.start, ordering: .relaxed)
            words[9 + 3 * position].store(segment.frames, ordering: .relaxed)
            words[10 + 3 * position].store(segment.ringStart, ordering: .relaxed)
        }
        sequence.wrappingAdd(1, ordering: .releasing)
    }

    func read(at now: MonotonicTime) -> OutputClock {
        while true {
            let before = sequence.load(ordering: .acquiring)
            guard before.isMultiple(of: 2) else { continue }
            let number = UInt16(truncatingIfNeeded: words[0].load(ordering: .relaxed))
            let anchor = ClockAnchor(
                heard: Double(bitPattern: UInt64(bitPattern: words[1].load(ordering: .relaxed))),
                time: MonotonicTime(nanoseconds: words[2].load(ordering: .relaxed)),
                isRunning: words[3].load(ordering: .relaxed) == 1,
                sampleRate: Int(words[4].load(ordering: .relaxed)))
            let cursor = words[5].load(ordering: .relaxed)
            var map = SegmentMap()
            for position in 0..<min(SegmentMap.capacity, Int(words[6].load(ordering: .relaxed))) {
                map.append(
                    StreamSegment(
                        start: words[8 + 3 * position].load(ordering: .relaxed),
                        frames: words[9 + 3 * position].load(ordering: .relaxed),
                        ringStart: words[10 + 3 * position].load(ordering: .relaxed)))
            }
            atomicMemoryFence(ordering: .acquiring)
            guard sequence.load(ordering: .relaxed) == before else { continue }

            let heard = anchor.heard(at: now)
            let place = map.place(at: FrameCount(clamping: heard.rounded(.down)))
            let isTrusted = now.seconds(since: anchor.time) < ClockAnchor.trust
            return OutputClock(
                ringIndex: raised(place.ringIndex, stream: number),
                isAdvancing: anchor.isRunning && place.isInside && isTrusted,
                sampledAt: now,
                latency: max(0, (Double(cursor) - heard) / Double(anchor.sampleRate)))
        }
    }

    private func raised(_ index: FrameCount, stream number: UInt16) -> FrameCount {
        let mine = UInt64(number) << 48 | UInt64(max(0, index)) & (1 << 48 - 1)
        var seen = floor.load(ordering: .relaxed)
        while true {
            let isNewer = UInt16(truncatingIfNeeded: seen >> 48) != number
            // A reader overtaken by a new stream does not change that stream's minimum.
            if isNewer, Int16(bitPattern: UInt16(truncatingIfNeeded: seen >> 48) &- number) > 0 { return index }
            if !isNewer, seen >= mine { return FrameCount(seen & (1 << 48 - 1)) }
            let (exchanged, original) = floor.compareExchange(expected: seen, desired: mine, ordering: .relaxed)
            if exchanged { return index }
            seen = original
        }
    }
}
