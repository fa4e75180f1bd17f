// SPDX-License-Identifier: Apache-2.0

import Audio
import Playback
import Synchronization
import Kernel

/// The stream's clock. The mainloop thread writes it; any thread reads it. A sequence lock: readers never delay the writer
/// and take no mutex.
///
/// `@unchecked Sendable` because `words` are atomics whose memory lives as long as the board.
final class ClockBoard: @unchecked Sendable {
    /// Whole words of 8 bytes, as `cursor` is the last member.
    private struct Content: BitwiseCopyable {
        /// The stream's number, which rises with every stream.
        var number: UInt16 = 0
        var anchor = ClockAnchor(heard: 0, time: MonotonicTime(nanoseconds: 0), sampleRate: 48_000)
        var map = SegmentMap()
        var cursor: FrameCount = 0
    }

    private static let wordCount = MemoryLayout<Content>.size / 8
    private let words: UnsafeMutablePointer<Atomic<UInt64>>
    private let sequence = Atomic<UInt64>(0)
    /// Highest published index, below the stream's number: the clock never goes back.
    private let floor = Atomic<UInt64>(0)

    init() {
        words = .allocate(capacity: Self.wordCount)
        for index in 0..<Self.wordCount { (words + index).initialize(to: Atomic(0)) }
        store(Content())
    }

    deinit {
        words.deinitialize(count: Self.wordCount)
        words.deallocate()
    }

    /// Mainloop thread only.
    func publish(_ anchor: ClockAnchor, map: SegmentMap, cursor: FrameCount, stream number: UInt16) {
        sequence.wrappingAdd(1, ordering: .acquiringAndReleasing)
        atomicMemoryFence(ordering: .releasing)
        store(Content(number: number, anchor: anchor, map: map, cursor: cursor))
        sequence.wrappingAdd(1, ordering: .releasing)
    }

    private func store(_ content: Content) {
        withUnsafeBytes(of: content) { bytes in
            for index in 0..<Self.wordCount {
                words[index].store(bytes.load(fromByteOffset: 8 * index, as: UInt64.self), ordering: .relaxed)
            }
        }
    }

    private func load() -> Content {
        while true {
            let before = sequence.load(ordering: .acquiring)
            guard before.isMultiple(of: 2) else { continue }
            var content = Content()
            withUnsafeMutableBytes(of: &content) { bytes in
                for index in 0..<Self.wordCount {
                    bytes.storeBytes(
                        of: words[index].load(ordering: .relaxed), toByteOffset: 8 * index, as: UInt64.self)
                }
            }
            atomicMemoryFence(ordering: .acquiring)
            if sequence.load(ordering: .relaxed) == before { return content }
        }
    }

    func read(at now: MonotonicTime) -> OutputClock {
        let content = load()
        let anchor = content.anchor
        let heard = anchor.heard(at: now)
        let place = content.map.place(at: FrameCount(clamping: heard.rounded(.down)))
        let isTrusted = now.seconds(since: anchor.time) < ClockAnchor.trust
        let index = raised(place.ringIndex, stream: content.number)
        // After a move to a sink of higher latency, silence is heard until that sink arrives at the index. No answer of the
        // same sink is as far behind.
        let stands = Double(index - place.ringIndex) > ClockAnchor.trust * Double(anchor.sampleRate)
        return OutputClock(
            ringIndex: index, isAdvancing: anchor.isRunning && place.isInside && isTrusted && !stands,
            sampledAt: now,
            latency: max(0, (Double(content.cursor) - heard) / Double(anchor.sampleRate)))
    }

    private func raised(_ index: FrameCount, stream number: UInt16) -> FrameCount {
        let mine = UInt64(number) << 48 | UInt64(max(0, index)) & (1 << 48 - 1)
        var seen = floor.load(ordering: .relaxed)
        while true {
            let latest = UInt16(truncatingIfNeeded: seen >> 48)
            // A reader overtaken by a new stream does not change that stream's minimum.
            if Int16(bitPattern: latest &- number) > 0 { return index }
            if latest == number, seen >= mine { return FrameCount(seen & (1 << 48 - 1)) }
            let (exchanged, original) = floor.compareExchange(expected: seen, desired: mine, ordering: .relaxed)
            if exchanged { return index }
            seen = original
        }
    }
}
