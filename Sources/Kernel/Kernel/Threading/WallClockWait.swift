// SPDX-License-Identifier: Apache-2.0

import CLinux
import Glibc

/// Lets one thread wait for a wall-clock time and for other threads. It also wakes if the clock is set, which may make the
/// time come or move away. It does not poll.
public final class WallClockWait: Sendable {
    private let wake: WakeSignal
    private let timer: Int32

    /// nil if the process is out of descriptors.
    public init?() {
        timer = clinux_wall_timer()
        guard timer >= 0 else { return nil }
        guard let wake = WakeSignal() else {
            close(timer)
            return nil
        }
        self.wake = wake
    }

    deinit { close(timer) }

    /// Any thread may call this: ends the current wait, or the next one.
    public func ring() { wake.ring() }

    /// Returns at either time, after `ring`, or if the clock is set; may also return early. One thread only.
    ///
    /// `wall`: milliseconds since the epoch. nil: no such time.
    public func wait(untilWall wall: Int64?, until time: MonotonicTime?) {
        // A time in the past makes the timer readable at once.
        clinux_arm_wall_timer(timer, wall.map { max(1, $0) } ?? 0)
        var entries = [wake.descriptor, timer].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        let left = time.map { max(0, $0.seconds(since: .now)) }
        // Rounded up: waking early would take another wait.
        let milliseconds = left.map { Int32(clamping: ($0 * 1_000).rounded(.up)) } ?? -1
        _ = poll(&entries, 2, milliseconds)
        wake.reset()
        clinux_read_wall_timer(timer)
    }
}
