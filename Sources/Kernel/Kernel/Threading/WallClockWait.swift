// SPDX-License-Identifier: Apache-2.0

import CLinux
import Glibc

/// Lets one thread wait for a time of the wall clock, or for other threads. Setting the wall clock ends the wait too, so that
/// a time that has come or moved away is noticed at once.
public final class WallClockWait: Sendable {
    private let timer: Int32

    /// nil if the process is out of descriptors.
    public init?() {
        timer = clinux_wall_timer()
        if timer < 0 { return nil }
    }

    deinit { close(timer) }

    /// Returns when `descriptor` is readable, at either time, and when the wall clock was set; also without a reason. For one
    /// thread.
    ///
    /// - Parameters:
    ///   - wall: milliseconds since the epoch; nil: no time.
    ///   - time: nil: no time.
    public func wait(for descriptor: Int32, untilWall wall: Int64?, until time: MonotonicTime?) {
        // A time in the past makes the timer readable at once.
        clinux_arm_wall_timer(timer, wall.map { max(1, $0) } ?? 0)
        var entries = [descriptor, timer].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        let left = time.map { max(0, $0.seconds(since: .now)) }
        // Rounded up: waking early would need a second wait.
        let milliseconds = left.map { Int32(clamping: ($0 * 1_000).rounded(.up)) } ?? -1
        _ = poll(&entries, 2, milliseconds)
        clinux_read_wall_timer(timer)
    }
}
