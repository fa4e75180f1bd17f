// SPDX-License-Identifier: Apache-2.0

public import Playback
internal import Synchronization
public import Kernel

/// A clock that only the test advances.
public final class ManualClock: PlayerClock {
    private let nanoseconds = Atomic<Int64>(1_000_000_000)

    public init() {}

    public var now: MonotonicTime { MonotonicTime(nanoseconds: nanoseconds.load(ordering: .acquiring)) }
    public var wallMilliseconds: Int64 { 1_700_000_000_000 + now.nanoseconds / 1_000_000 }

    public func advance(seconds: Double) {
        nanoseconds.add(Int64(clamping: (seconds * 1e9).rounded()), ordering: .acquiringAndReleasing)
    }
}

/// The machine's clock.
public struct MachineClock: PlayerClock {
    public init() {}

    public var now: MonotonicTime { .now }
    public var wallMilliseconds: Int64 { MonotonicTime.now.nanoseconds / 1_000_000 }
}
