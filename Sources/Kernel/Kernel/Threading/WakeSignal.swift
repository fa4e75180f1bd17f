// SPDX-License-Identifier: Apache-2.0

import CLinux
import Glibc

/// Wakes a thread that waits in poll(2), epoll or a library's own wait: a descriptor that any thread makes readable.
///
/// Rings that come before the wait ends are one.
public final class WakeSignal: Sendable {
    /// Readable from `ring` until `reset`. Closed with this object.
    public let descriptor: Int32

    /// nil when the process is out of descriptors.
    public init?() {
        descriptor = eventfd(0, Int32(EFD_CLOEXEC) | Int32(EFD_NONBLOCK))
        if descriptor < 0 { return nil }
    }

    deinit { close(descriptor) }

    /// From any thread, without blocking.
    public func ring() {
        // Fails only when it rings already, as often as a counter of 64 bits can hold.
        _ = eventfd_write(descriptor, 1)
    }

    /// On the thread that was woken, before it looks at what it was woken for.
    public func reset() {
        var rings: eventfd_t = 0
        // Fails when nobody rang, which is as good.
        _ = eventfd_read(descriptor, &rings)
    }
}
