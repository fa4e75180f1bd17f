// SPDX-License-Identifier: Apache-2.0

internal import CLinux
import Synchronization

/// The PCM between a decode thread and the render callback.
///
/// Frames carry absolute indices: the n-th frame ever written has index n, except for frames that `replace` replaces. One
/// producer at a time (the holder of the lease), one consumer (the output's render thread). The consumer's side is lock-free and allocates
/// nothing; the producer's side is serialised by a mutex, because revoking a lease must be exact.
/// The last `retained` frames that were read stay intact, so that the consumer may step back and render them again
/// (with a fade, another gain) as long as the sink has not played them.
public final class FrameRing: Sendable {
    public let format: AudioFormat
    /// Frames that can be unread at once (more after a `rewind`, by as many as it stepped back).
    public let capacity: Int
    public let retained: Int

    private let channels: Int
    /// Frame i lives in slot i mod `slots`; `slots` = capacity + retained, so that a write never reaches a frame that
    /// the consumer may still step back to.
    private let slots: Int
    /// Because the slots before the write index belong to the consumer and the free ones to the producer, and the
    /// indices' release and acquire order the hand-over.
    private nonisolated(unsafe) let samples: UnsafeMutablePointer<Float>
    /// Because only the consumer touches it.
    private nonisolated(unsafe) let consumed: UnsafeMutablePointer<Consumed>

    private let written = Atomic<Int64>(0)
    private let reading = Atomic<Int64>(0)
    /// The read index at which the waiting producer wants to be woken; `noWait` when none waits.
    private let wakeAt = Atomic<Int64>(FrameRing.noWait)
    /// Counts wake-ups: the futex that a waiting producer sleeps on. Of its own allocation, because it needs an address.
    private nonisolated(unsafe) let wakeUps: UnsafeMutablePointer<Atomic<UInt32>>
    private let lease = Mutex<UInt64>(0)
    private let sections = FrameSections()
    private let framesRequested = Atomic<Bool>(false)
    /// Where the last frames before it fade out as they are copied.
    private let fadeEnd = Atomic<Int64>(.max)
    private let fadeFrames: Int64
    private let onFrames: (@Sendable () -> Void)?

    private static let noWait = Int64.max

    private struct Consumed {
        /// The furthest index that was ever read to.
        var furthest: FrameCount = 0
        /// Where the last `skip` went: no way back before it.
        var floor: FrameCount = 0
    }

    /// `onFrames` is called on the producer's thread by the first write after `requestFrames`; it must not block.
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
        consumed = .allocate(capacity: 1)
        consumed.initialize(to: Consumed())
        wakeUps = .allocate(capacity: 1)
        wakeUps.initialize(to: Atomic(0))
    }

    deinit {
        samples.deallocate()
        consumed.deallocate()
        wakeUps.deinitialize(count: 1)
        wakeUps.deallocate()
        sections.deallocate()
    }

    // MARK: Producer's side: never the render thread

    /// Permission to write; a later `grant` or `cut` revokes it.
    public struct Lease: Hashable, Sendable {
        let number: UInt64
    }

    public enum WriteOutcome: Hashable, Sendable {
        /// `frames` were taken (fewer than offered when the ring became full, 0 when it was); the first has index `start`.
        case wrote(frames: Int, start: FrameCount)
        case revoked
    }

    /// Revokes any lease and gives a new one. Also returns the index that the next written frame will have.
    public func grant() -> (lease: Lease, writeIndex: FrameCount) {
        lease.withLock { number in revoke(&number) }
    }

    /// As `grant()`; what is written next is of a track of this loudness.
    public func grant(_ loudness: TrackLoudness?, isInAlbum: Bool) -> (lease: Lease, writeIndex: FrameCount) {
        lease.withLock { number in
            let granted = revoke(&number)
            sections.begin(at: granted.writeIndex, loudness, isInAlbum: isInAlbum)
            return granted
        }
    }

    /// The next frames of the lease's holder are of a track of this loudness. False when the lease is revoked.
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

    /// Revokes any lease and returns the write index: all frames before it are of the past. No frame is dropped; the
    /// consumer skips to this index when the output flushes.
    public func cut() -> FrameCount {
        grant().writeIndex
    }

    /// As `cut`, in the middle of the music: its last frames fade out, those behind them are not touched.
    public func cutFading() {
        fadeEnd.store(cut(), ordering: .releasing)
    }

    /// Copies interleaved samples (count divisible by the channel count) into the free space. Never waits.
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

    /// Up to `frames` frames from `index` on, interleaved, read or not, written by an earlier holder of the lease. nil when
    /// the lease is revoked.
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

    /// Replaces all frames from `index` on with interleaved samples. Only here the write index falls. Only on the consumer's
    /// thread, and never while it renders, as it takes the lock. The lease's holder must wait meanwhile. False, without
    /// effect, when the lease is revoked, the frame at `index` was read or is not written, or there is no room.
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

    /// Blocks until at least `frames` (clamped to the capacity) are free or the lease is revoked. False when revoked.
    public func waitForSpace(_ frames: Int, lease: Lease) -> Bool {
        let wanted = min(frames, capacity)
        while true {
            // The wish is left under the lock, so that a producer whose lease is gone cannot overwrite its successor's.
            let seen: UInt32? = self.lease.withLock { number in
                guard number == lease.number else { return nil }
                let seen = wakeUps.pointee.load(ordering: .acquiring)
                wakeAt.store(
                    written.load(ordering: .relaxed) + Int64(wanted - capacity), ordering: .sequentiallyConsistent)
                return seen
            }
            guard let seen else { return false }
            // Sequentially consistent on both sides: either this load sees the consumer's new index, or the consumer
            // sees the wish.
            let unread = written.load(ordering: .relaxed) - reading.load(ordering: .sequentiallyConsistent)
            if capacity - Int(unread) >= wanted {
                let isHeld = self.lease.withLock { number in
                    guard number == lease.number else { return false }
                    wakeAt.store(Self.noWait, ordering: .relaxed)
                    return true
                }
                return isHeld
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
        let count = peek(into: samples, frames: frames)
        if count > 0 { move(to: reading.load(ordering: .relaxed) + Int64(count)) }
        return count
    }

    /// Copies up to `frames` frames without reading past them, and returns how many.
    @_noLocks @_noAllocation
    public func peek(into samples: UnsafeMutablePointer<Float>, frames: Int) -> Int {
        copy(at: reading.load(ordering: .relaxed), into: samples, frames: frames)
    }

    /// Copies up to `frames` frames from `index` on, wherever reading stands, and returns how many: none of what is not
    /// written, or older than the retained.
    @_noLocks @_noAllocation
    public func copy(at index: FrameCount, into samples: UnsafeMutablePointer<Float>, frames: Int) -> Int {
        let count = min(frames, Int(written.load(ordering: .acquiring) - index))
        guard count > 0, index >= consumed.pointee.furthest - Int64(retained) else { return 0 }
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

    /// Reads past up to `frames` frames that were copied.
    @_noLocks @_noAllocation
    public func pass(_ frames: Int) {
        let index = reading.load(ordering: .relaxed)
        move(to: min(index + Int64(frames), written.load(ordering: .acquiring)))
    }

    /// The furthest way back: the oldest retained frame, or where the last `skip` went.
    public var oldest: FrameCount {
        @_noLocks @_noAllocation get { max(consumed.pointee.floor, consumed.pointee.furthest - Int64(retained)) }
    }

    /// Which track a written frame is of.
    @_noLocks @_noAllocation
    public func section(at index: FrameCount) -> FrameSection { sections.section(at: index) }

    /// Steps back by at most `retained` frames from the furthest that was read, never before a `skip`. Returns by how
    /// many.
    @_noLocks @_noAllocation
    public func rewind(_ frames: Int) -> Int {
        let index = reading.load(ordering: .relaxed)
        let count = max(0, min(Int64(frames), index - oldest))
        reading.store(index - count, ordering: .releasing)
        return Int(count)
    }

    /// Drops everything before `index`; does nothing when reading is past it. An index that is not written yet counts
    /// as the write index.
    @_noLocks @_noAllocation
    public func skip(to index: FrameCount) {
        let target = min(index, written.load(ordering: .acquiring))
        guard target > consumed.pointee.floor else { return }
        consumed.pointee.floor = target
        if target > reading.load(ordering: .relaxed) { move(to: target) }
    }

    /// Has `onFrames` called by the next write. False, and no call to come, when there are unread frames already.
    @_noLocks @_noAllocation
    public func requestFrames() -> Bool {
        // Sequentially consistent on both sides: either the producer sees the wish, or this load sees its frames.
        framesRequested.store(true, ordering: .sequentiallyConsistent)
        guard written.load(ordering: .sequentiallyConsistent) > reading.load(ordering: .relaxed) else { return true }
        framesRequested.store(false, ordering: .relaxed)
        return false
    }

    @_noLocks @_noAllocation
    private func move(to index: FrameCount) {
        if index > consumed.pointee.furthest { consumed.pointee.furthest = index }
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

    /// Frames that were written and not read. Exact for the consumer; to others a moment old.
    public var unread: Int {
        @_noLocks @_noAllocation get {
            let index = reading.load(ordering: .acquiring)
            // To others both indices may have fallen in between.
            return max(0, Int(written.load(ordering: .acquiring) - index))
        }
    }
}
