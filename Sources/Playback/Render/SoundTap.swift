// SPDX-License-Identifier: Apache-2.0

public import Audio
internal import Synchronization

/// Listens to what a player's output renders; one stream after the other. Made by who wants to hear, and handed to the output with
/// `setTap`: while nobody does, nothing is copied and no memory is used.
public final class SoundTap: Sendable {
    private struct State {
        var ring: TapRing?
    }

    private let state = Mutex(State())

    public init() {}

    /// For an output, not in its render callback: the memory for a stream, in the place of that for the stream before.
    public func begin(_ format: AudioFormat) -> TapRing {
        let ring = TapRing(format: format)
        state.withLock { $0.ring = ring }
        return ring
    }

    /// Of the latest stream.
    var ring: TapRing? { state.withLock { $0.ring } }
}
