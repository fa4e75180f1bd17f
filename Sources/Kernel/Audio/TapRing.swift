// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// The last 2 s of a stream after the effects, before volume, balance, duck and fades, at their indices in the stream's
/// `FrameRing`. Frames that are rendered again overwrite the earlier ones.
///
/// The render thread writes without lock or allocation. Any other thread may read frames that are heard: these are not rendered
/// again.
public final class TapRing: Sendable {
    public let format: AudioFormat
    private let channels: Int
    private let capacity: Int
    /// `nonisolated(unsafe)` because a reader checks afterwards that its frames were not overwritten.
    private nonisolated(unsafe) let samples: UnsafeMutablePointer<Float>
    /// The frames from `start` to `end` are available, at most the last `capacity` of them.
    private let start = Atomic<FrameCount>(0)
    private let end = Atomic<FrameCount>(0)
    /// `end`, but set before the frames are written.
    private let reserved = Atomic<FrameCount>(0)
    private let beginsRun = Atomic<Bool>(true)

    public init(format: AudioFormat) {
        self.format = format
        channels = format.channelCount
        capacity = Int(format.frames(2))
        samples = .allocate(capacity: capacity * channels)
        samples.initialize(repeating: 0, count: capacity * channels)
    }

    deinit { samples.deallocate() }

    // MARK: The render thread

    /// The next frames do not follow the last ones.
    @_noLocks @_noAllocation
    public func beginRun() { beginsRun.store(true, ordering: .relaxed) }

    @_noLocks @_noAllocation
    public func write(_ source: UnsafePointer<Float>, at index: FrameCount, frames: Int) {
        let isApart = index > end.load(ordering: .relaxed) ? true : index < start.load(ordering: .relaxed)
        if beginsRun.exchange(false, ordering: .relaxed) ? true : isApart { start.store(index, ordering: .relaxed) }
        reserved.store(index + FrameCount(frames), ordering: .sequentiallyConsistent)
        var done = max(0, frames - capacity)
        while done < frames {
            let slot = Int((index + FrameCount(done)) % FrameCount(capacity))
            let count = min(frames - done, capacity - slot)
            copySamples(source + done * channels, to: samples + slot * channels, count: count * channels)
            done += count
        }
        end.store(index + FrameCount(frames), ordering: .releasing)
    }

    // MARK: Any other thread

    /// The available part of `range`.
    public func available(_ range: Range<FrameCount>) -> Range<FrameCount> {
        let end = end.load(ordering: .acquiring)
        let first = max(range.lowerBound, start.load(ordering: .relaxed), end - FrameCount(capacity))
        return first..<max(first, min(range.upperBound, end))
    }

    /// Copies available frames; samples that are not finite become 0. False if the frames were overwritten meanwhile.
    public func copy(_ range: Range<FrameCount>, into target: UnsafeMutablePointer<Float>) -> Bool {
        let slot = Int(range.lowerBound % FrameCount(capacity))
        let first = min(range.count, capacity - slot)
        copySamples(samples + slot * channels, to: target, count: first * channels)
        copySamples(samples, to: target + first * channels, count: (range.count - first) * channels)
        for position in 0..<range.count * channels {
            let sample = target[position]
            // The difference is NaN if the sample is infinite or NaN.
            target[position] = sample - sample == 0 ? sample : 0
        }
        atomicMemoryFence(ordering: .sequentiallyConsistent)
        return reserved.load(ordering: .relaxed) - FrameCount(capacity) <= range.lowerBound
    }
}
