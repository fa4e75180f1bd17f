// SPDX-License-Identifier: Apache-2.0

public import Audio
internal import Synchronization

/// Receives a copy of the sound that a player's output renders, one stream after the other. Created by the listener and
/// passed to the output with `setTap`; without a listener, nothing is copied and no memory is used.
public final class SoundTap: Sendable {
    private let latest = Mutex<TapRing?>(nil)

    /// Allocates the memory for a new stream. Called by an output, outside its render callback.
    public func begin(_ format: AudioFormat) -> TapRing {
        let ring = TapRing(format: format)
        latest.withLock { $0 = ring }
        return ring
    }

    /// The memory of the latest stream.
    var ring: TapRing? { latest.withLock { $0 } }
}
