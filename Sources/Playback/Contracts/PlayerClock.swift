// SPDX-License-Identifier: Apache-2.0

public import Kernel

/// The player's time. Owned here so that tests move it by hand.
public protocol PlayerClock: Sendable {
    var now: MonotonicTime { get }
    /// Milliseconds since the Unix epoch, for what people and clients see.
    var wallMilliseconds: Int64 { get }
}
