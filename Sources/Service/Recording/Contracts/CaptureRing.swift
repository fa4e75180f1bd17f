// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// Samples between the sound server's thread and the recorder's: one producer, one consumer, no lock, bounded.
///
/// Samples that do not fit are counted and dropped: the sound server's thread never waits for a disk.
public final class CaptureRing: Sendable {
    public let channelCount: Int
    private let capacity: Int
    /// Because samples between the two indices belong to the consumer and the others to the producer, and the indices'
    /// release and acquire order the hand-over.
    private nonisolated(unsafe) let samples: UnsafeMutablePointer<Float>
    private let written = Atomic<Int>(0)
    private let taken = Atomic<Int>(0)
    private let dropped = Atomic<Int>(0)

    public init(frames: Int, channelCount: Int) {
        self.channelCount = channelCount
        capacity = max(1, frames) * channelCount
        samples = .allocate(capacity: capacity)
        samples.initialize(repeating: 0, count: capacity)
    }

    deinit { samples.deallocate() }

    public var droppedFrames: Int { dropped.load(ordering: .relaxed) }

    /// Producer: writes whole frames; nil writes this number of silent samples, for a gap in the server's data.
    public func write(_ new: UnsafePointer<Float>?, count: Int) {
        let end = written.load(ordering: .relaxed)
        let free = capacity - (end - taken.load(ordering: .acquiring))
        let fitting = min(count, free) / channelCount * channelCount
        var done = 0
        while done < fitting {
            let slot = (end + done) % capacity
            let length = min(fitting - done, capacity - slot)
            if let new {
                (samples + slot).update(from: new + done, count: length)
            } else {
                (samples + slot).update(repeating: 0, count: length)
            }
            done += length
        }
        written.store(end + fitting, ordering: .releasing)
        if fitting < count { dropped.add((count - fitting) / channelCount, ordering: .relaxed) }
    }

    /// Consumer: hands over the available samples in one or two pieces. False if there are none.
    public func take<Failure: Error>(
        _ body: (UnsafeBufferPointer<Float>) throws(Failure) -> Void
    ) throws(Failure) -> Bool {
        let start = taken.load(ordering: .relaxed)
        let available = written.load(ordering: .acquiring) - start
        guard available > 0 else { return false }
        let slot = start % capacity
        let length = min(available, capacity - slot)
        try body(UnsafeBufferPointer(start: samples + slot, count: length))
        taken.store(start + length, ordering: .releasing)
        return true
    }
}
