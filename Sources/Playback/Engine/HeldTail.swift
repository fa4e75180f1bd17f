// SPDX-License-Identifier: Apache-2.0

internal import Audio
internal import Kernel

/// The last frames of an item, in the ring's format, that are not in the ring yet: the next item is mixed over them.
///
/// A queue: the item's own decode thread appends and writes; the next item's thread takes the rest once it holds the
/// lease. A frame leaves the queue only together with its write into the ring, so none is lost or doubled.
final class HeldTail: Sendable {
    /// The maximum size of an overlap.
    static let mostBytes = 16 << 20

    private struct State {
        /// Interleaved.
        var samples: [Float] = []
        /// The samples before this index are written.
        var first = 0
        var isTaken = false
    }

    private let state = Monitor(State())
    private let channels: Int

    init(channelCount: Int) { channels = channelCount }

    var frames: Int { state.withLock { ($0.samples.count - $0.first) / channels } }
    /// The next item has taken the tail.
    var isTaken: Bool { state.withLock { $0.isTaken } }

    func waitUntilTaken(_ deadline: MonotonicTime) {
        _ = state.wait(until: deadline) { $0.isTaken ? true : nil }
    }

    func append(_ samples: UnsafeBufferPointer<Float>) {
        state.withLock { state in
            if state.first > 65_536 * channels {
                state.samples.removeFirst(state.first)
                state.first = 0
            }
            state.samples.append(contentsOf: samples)
        }
    }

    /// Writes up to `frames` of the oldest frames, as far as the ring has room.
    func write(_ frames: Int, to ring: FrameRing, lease: FrameRing.Lease) -> FrameRing.WriteOutcome {
        state.withLock { state in
            let end = min(state.samples.count, state.first + frames * channels)
            let outcome = state.samples.withUnsafeBufferPointer { samples in
                ring.write(UnsafeBufferPointer(rebasing: samples[state.first..<end]), lease: lease)
            }
            if case .wrote(let frames, _) = outcome { state.first += frames * channels }
            return outcome
        }
    }

    /// Takes all remaining samples.
    func take() -> [Float] {
        // Copied outside the lock, because the player's thread queries the number of frames meanwhile.
        let (samples, first) = state.change { state in
            state.isTaken = true
            defer { (state.samples, state.first) = ([], 0) }
            return (state.samples, state.first)
        }
        return Array(samples[first...])
    }
}
