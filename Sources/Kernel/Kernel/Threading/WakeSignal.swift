// SPDX-License-Identifier: Apache-2.0

import CLinux
import Glibc

/// A descriptor that any thread makes readable, to wake a thread that waits in poll(2), epoll or a library.
///
/// Several rings before a `reset` count as one.
public final class WakeSignal: Sendable {
    /// Readable from `ring` until `reset`. This object closes it.
    public let descriptor: Int32

    /// nil if the process is out of descriptors.
    public init?() {
        descriptor = eventfd(0, Int32(EFD_CLOEXEC) | Int32(EFD_NONBLOCK))
        if descriptor < 0 { return nil }
    }

    deinit { close(descriptor) }

    /// Any thread may call this; never blocks.
    public func ring() {
        // Fails only if the 64-bit counter is full, and then the descriptor is readable.
        _ = eventfd_write(descriptor, 1)
    }

    /// The woken thread calls this before it looks for work.
    public func reset() {
        var rings: eventfd_t = 0
        // Fails if nobody rang.
        _ = eventfd_read(descriptor, &rings)
    }
}
