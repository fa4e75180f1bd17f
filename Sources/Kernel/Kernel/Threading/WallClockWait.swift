// SPDX-License-Identifier: Apache-2.0

import CLinux
import Glibc

/// Lets one thread wait for a time of the wall clock, and for other threads. It wakes as well when somebody sets the clock,
/// so that a time that has come by that, or has moved away, is seen at once. Nothing wakes it in between.
public final class WallClockWait: Sendable {
    private let wake: WakeSignal
    private let timer: Int32

    /// nil when the process is out of descriptors.
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

    /// From any thread: the wait ends, or the next one does.
    public func ring() { wake.ring() }

    /// Returns when it is rung, at either time, and when the clock was set; also without a reason. For one thread.
    ///
    /// `wall`: milliseconds since the epoch. Of both times nil waits without one.
    public func wait(untilWall wall: Int64?, until time: MonotonicTime?) {
        // A time that lies behind makes it readable at once.
        clinux_arm_wall_timer(timer, wall.map { max(1, $0) } ?? 0)
        var entries = [wake.descriptor, timer].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        let left = time.map { max(0, $0.seconds(since: .now)) }
        // Rounded up: a moment late is in time, and a moment early is once more.
        let milliseconds = left.map { Int32(clamping: ($0 * 1_000).rounded(.up)) } ?? -1
        _ = poll(&entries, 2, milliseconds)
        wake.reset()
        clinux_read_wall_timer(timer)
    }
}
