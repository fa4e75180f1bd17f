// SPDX-License-Identifier: Apache-2.0

internal import CLinux
import Synchronization

/// The PCM between a decode thread and the render callback.
///
/// Frames have absolute indices: the n-th frame ever written has index n, unless `replace` replaces frames. There is one
/// producer at a time, the holder of the lease, and one consumer, the output's render thread. The consumer takes no lock and
/// allocates nothing; a mutex serialises the producer's side, so that a revoked lease takes effect exactly.
/// The last `retained` frames that were read stay intact: until the sink has played them, the consumer may step back and render
/// them again, with a fade or another gain.
public final class FrameRing: Sendable {
    public let format: AudioFormat
    /// Maximum number of unread frames; a `rewind` adds the frames that it steps back.
    public let capacity: Int
    public let retained: Int

    private let channels: Int
    /// Frame i is in slot i mod `slots`. `slots` = capacity + retained, so that a write never overwrites a frame that the
    /// consumer may still step back to.
    private let slots: Int
    /// `nonisolated(unsafe)` because the slots before the write index belong to the consumer and the free ones to the producer;
    /// the indices' release and acquire order the hand-over.
    private nonisolated(unsafe) let samples: UnsafeMutablePointer<Float>

    private let written = Atomic<Int64>(0)
    private let reading = Atomic<Int64>(0)
    /// The furthest index that was ever read to. Only the consumer uses this and `floor`.
    private let furthest = Atomic<Int64>(0)
    /// The target of the last `skip`: the consumer cannot step back before it.
    private let floor = Atomic<Int64>(0)
    /// The read index at which a waiting producer is woken; `noWait` if none waits.
    private let wakeAt = Atomic<Int64>(FrameRing.noWait)
    /// Counts wake-ups: the futex on which a waiting producer sleeps. `nonisolated(unsafe)` because it is an atomic, allocated
    /// separately for its address.
    private nonisolated(unsafe) let wakeUps: UnsafeMutablePointer<Atomic<UInt32>>
    private let lease = Mutex<UInt64>(0)
    private let sections = FrameSections()
    private let framesRequested = Atomic<Bool>(false)
    /// The frames before this index fade out as they are copied.
    private let fadeEnd = Atomic<Int64>(.max)
    private let fadeFrames: Int64
    private let onFrames: (@Sendable () -> Void)?

    private static let noWait = Int64.max

    /// The first write after `requestFrames` calls `onFrames`, on the producer's thread; it must not block.
    public init(format: AudioFormat, capacity: Int, retained: Int, onFrames: (@Sendable () -> Void)? = nil) {
        precondition(capacity > 0 && retained >= 0)
        self.onFrames = onFrames
        self.format = format
        self.capacity = capacity
        self.retained = retained
        channels = format.channelCount
        slots = capacity + retained
        fadeFrames = format.frames(0.01)
        samples = .allocate(capacity: slots * channels)
        samples.initialize(repeating: 0, count: slots * channels)
        wakeUps = .allocate(capacity: 1)
        wakeUps.initialize(to: Atomic(0))
    }

    deinit {
        samples.deallocate()
        wakeUps.deinitialize(count: 1)
        wakeUps.deallocate()
        sections.deallocate()
    }

    // MARK: Producer's side: not the render thread

    /// Permission to write; a later `grant` or `cut` revokes it.
    public struct Lease: Hashable, Sendable {
        let number: UInt64
    }

    public enum WriteOutcome: Hashable, Sendable {
        /// The number of frames written, fewer than offered if the ring is full, and the index of the first one.
        case wrote(frames: Int, start: FrameCount)
        case revoked
    }

    /// Revokes the present lease and returns a new one, and the index of the next frame to be written.
    public func grant() -> (lease: Lease, writeIndex: FrameCount) {
        lease.withLock { number in revoke(&number) }
    }

    /// As `grant()`; the next frames belong to a track with this loudness.
    public func grant(_ loudness: TrackLoudness?, isInAlbum: Bool) -> (lease: Lease, writeIndex: FrameCount) {
        lease.withLock { number in
            let granted = revoke(&number)
            sections.begin(at: granted.writeIndex, loudness, isInAlbum: isInAlbum)
            return granted
        }
    }

    /// The next frames of the lease's holder belong to a track with this loudness. False if the lease is revoked.
    public func begin(_ loudness: TrackLoudness?, isInAlbum: Bool, lease: Lease) -> Bool {
        self.lease.withLock { number in
            guard number == lease.number else { return false }
            sections.begin(at: written.load(ordering: .relaxed), loudness, isInAlbum: isInAlbum)
            return true
        }
    }

    private func revoke(_ number: inout UInt64) -> (lease: Lease, writeIndex: FrameCount) {
        number += 1
        wakeProducer()
        return (Lease(number: number), written.load(ordering: .relaxed))
    }

    /// Revokes the lease and returns the write index: all frames before it are obsolete. No frame is dropped yet; the consumer
    /// skips to this index when the output flushes.
    public func cut() -> FrameCount {
        grant().writeIndex
    }

    /// As `cut`, for frames that are still heard: the last ones fade out.
    public func cutFading() {
        fadeEnd.store(cut(), ordering: .releasing)
    }

    /// Copies interleaved samples into the free space; their count is divisible by the channel count. Never waits.
    public func write(_ samples: UnsafeBufferPointer<Float>, lease: Lease) -> WriteOutcome {
        let outcome: WriteOutcome = self.lease.withLock { number in
            guard number == lease.number else { return .revoked }
            let start = written.load(ordering: .relaxed)
            let frames = min(samples.count / channels, free(writeIndex: start))
            guard frames > 0, let source = samples.baseAddress else { return .wrote(frames: 0, start: start) }
            put(source, at: start, frames: frames)
            return .wrote(frames: frames, start: start)
        }
        if case .wrote(1..., _) = outcome, framesRequested.exchange(false, ordering: .sequentiallyConsistent) {
            onFrames?()
        }
        return outcome
    }

    private func put(_ source: UnsafePointer<Float>, at start: FrameCount, frames: Int) {
        let slot = Int(start % Int64(slots))
        let first = min(frames, slots - slot)
        (samples + slot * channels).update(from: source, count: first * channels)
        samples.update(from: source + first * channels, count: (frames - first) * channels)
        written.store(start + Int64(frames), ordering: .sequentiallyConsistent)
    }

    /// Up to `frames` interleaved frames from `index` on, read or not, written by an earlier holder of the lease. nil if the
    /// lease is revoked.
    public func frames(at index: FrameCount, _ frames: Int, lease: Lease) -> [Float]? {
        self.lease.withLock { number in
            guard number == lease.number else { return nil }
            let end = written.load(ordering: .relaxed)
            let count = min(frames, Int(end - index))
            guard count > 0, index >= max(0, end - Int64(slots)) else { return [] }
            let slot = Int(index % Int64(slots))
            let first = min(count, slots - slot)
            return Array(UnsafeBufferPointer(start: samples + slot * channels, count: first * channels))
                + UnsafeBufferPointer(start: samples, count: (count - first) * channels)
        }
    }

    /// Replaces all frames from `index` on with interleaved samples; only this function lowers the write index. Call it on the
    /// consumer's thread, but not while rendering, as it takes the lock. The lease's holder must not write meanwhile. False,
    /// without effect, if the lease is revoked, the frame at `index` was read or is not written, or the space is too small.
    public func replace(from index: FrameCount, with samples: [Float], lease: Lease) -> Bool {
        self.lease.withLock { number in
            let frames = samples.count / channels
            let read = reading.load(ordering: .relaxed)
            guard number == lease.number, index >= read, index <= written.load(ordering: .relaxed),
                frames <= capacity - Int(index - read)
            else { return false }
            samples.withUnsafeBufferPointer { samples in
                if let source = samples.baseAddress { put(source, at: index, frames: frames) }
            }
            return true
        }
    }

    /// Blocks until `frames` (clamped to the capacity) are free, or returns false if the lease is revoked.
    public func waitForSpace(_ frames: Int, lease: Lease) -> Bool {
        let wanted = min(frames, capacity)
        while true {
            // Stored under the lock, so that a producer with a revoked lease cannot overwrite its successor's request.
            let seen: UInt32? = self.lease.withLock { number in
                guard number == lease.number else { return nil }
                let seen = wakeUps.pointee.load(ordering: .acquiring)
                wakeAt.store(
                    written.load(ordering: .relaxed) + Int64(wanted - capacity), ordering: .sequentiallyConsistent)
                return seen
            }
            guard let seen else { return false }
            // Sequentially consistent on both sides: either this load sees the consumer's new index, or the consumer
            // sees the request.
            let unread = written.load(ordering: .relaxed) - reading.load(ordering: .sequentiallyConsistent)
            if capacity - Int(unread) >= wanted {
                return self.lease.withLock { number in
                    guard number == lease.number else { return false }
                    wakeAt.store(Self.noWait, ordering: .relaxed)
                    return true
                }
            }
            clinux_futex_wait(wakeUps, seen)
        }
    }

    private func free(writeIndex: FrameCount) -> Int {
        max(0, capacity - Int(writeIndex - reading.load(ordering: .acquiring)))
    }

    // MARK: Consumer's side: the render thread only; no lock, no allocation

    /// Copies up to `frames` frames and returns how many.
    @_noLocks @_noAllocation
    public func read(into samples: UnsafeMutablePointer<Float>, frames: Int) -> Int {
        let index = reading.load(ordering: .relaxed)
        let count = copy(at: index, into: samples, frames: frames)
        if count > 0 { move(to: index + Int64(count)) }
        return count
    }

    /// Copies up to `frames` frames from `index` on without reading past them, and returns how many. Frames that are not
    /// written or no longer retained are not copied.
    @_noLocks @_noAllocation
    public func copy(at index: FrameCount, into samples: UnsafeMutablePointer<Float>, frames: Int) -> Int {
        let count = min(frames, Int(written.load(ordering: .acquiring) - index))
        guard count > 0, index >= furthest.load(ordering: .relaxed) - Int64(retained) else { return 0 }
        let slot = Int(index % Int64(slots))
        let first = min(count, slots - slot)
        copySamples(self.samples + slot * channels, to: samples, count: first * channels)
        copySamples(self.samples, to: samples + first * channels, count: (count - first) * channels)
        let end = fadeEnd.load(ordering: .acquiring)
        if index < end, index + Int64(count) > end - fadeFrames { fade(samples, at: index, frames: count, until: end) }
        return count
    }

    @_noLocks @_noAllocation
    private func fade(_ samples: UnsafeMutablePointer<Float>, at index: FrameCount, frames: Int, until end: FrameCount)
    {
        for frame in Int(max(0, end - fadeFrames - index))..<min(frames, Int(end - index)) {
            let part = Float(end - index - Int64(frame)) / Float(fadeFrames)
            for position in frame * channels..<(frame + 1) * channels { samples[position] *= part.smoothStep }
        }
    }

    /// Advances the read index by up to `frames` frames.
    @_noLocks @_noAllocation
    public func pass(_ frames: Int) {
        let index = reading.load(ordering: .relaxed)
        move(to: min(index + Int64(frames), written.load(ordering: .acquiring)))
    }

    /// The first frame that the consumer can step back to.
    public var oldest: FrameCount {
        @_noLocks @_noAllocation
        get { max(floor.load(ordering: .relaxed), furthest.load(ordering: .relaxed) - Int64(retained)) }
    }

    /// The section of a written frame.
    @_noLocks @_noAllocation
    public func section(at index: FrameCount) -> FrameSection { sections.section(at: index) }

    /// Steps back by up to `frames` frames, but not before `oldest`, and returns by how many.
    @_noLocks @_noAllocation
    public func rewind(_ frames: Int) -> Int {
        let index = reading.load(ordering: .relaxed)
        let count = max(0, min(Int64(frames), index - oldest))
        reading.store(index - count, ordering: .releasing)
        return Int(count)
    }

    /// Drops all frames before `index`, clamped to the write index. Does nothing if they are read already.
    @_noLocks @_noAllocation
    public func skip(to index: FrameCount) {
        let target = min(index, written.load(ordering: .acquiring))
        guard target > floor.load(ordering: .relaxed) else { return }
        floor.store(target, ordering: .relaxed)
        if target > reading.load(ordering: .relaxed) { move(to: target) }
    }

    /// Makes the next write call `onFrames`. Returns false instead if there are unread frames already.
    @_noLocks @_noAllocation
    public func requestFrames() -> Bool {
        // Sequentially consistent on both sides: either the producer sees the request, or this load sees its frames.
        framesRequested.store(true, ordering: .sequentiallyConsistent)
        guard written.load(ordering: .sequentiallyConsistent) > reading.load(ordering: .relaxed) else { return true }
        framesRequested.store(false, ordering: .relaxed)
        return false
    }

    @_noLocks @_noAllocation
    private func move(to index: FrameCount) {
        if index > furthest.load(ordering: .relaxed) { furthest.store(index, ordering: .relaxed) }
        reading.store(index, ordering: .sequentiallyConsistent)
        if index >= wakeAt.load(ordering: .sequentiallyConsistent) { wakeProducer() }
    }

    /// Wakes the producer if one waits. Never blocks.
    @_noLocks @_noAllocation
    private func wakeProducer() {
        guard wakeAt.exchange(Self.noWait, ordering: .acquiringAndReleasing) != Self.noWait else { return }
        wakeUps.pointee.add(1, ordering: .releasing)
        wakeSleepers(on: wakeUps)
    }

    // MARK: Any thread

    public var readIndex: FrameCount {
        @_noLocks @_noAllocation get { reading.load(ordering: .acquiring) }
    }

    public var writeIndex: FrameCount {
        @_noLocks @_noAllocation get { written.load(ordering: .acquiring) }
    }

    /// Written frames that are not read. Exact for the consumer; slightly outdated for other threads.
    public var unread: Int {
        @_noLocks @_noAllocation get {
            let index = reading.load(ordering: .acquiring)
            // For other threads, both indices may have fallen in between.
            return max(0, Int(written.load(ordering: .acquiring) - index))
        }
    }
}
