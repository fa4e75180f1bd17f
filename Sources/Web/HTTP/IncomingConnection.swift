// SPDX-License-Identifier: Apache-2.0

/// An accepted connection whose complete request head is still unread in the socket. The receiver owns the descriptor.
public struct IncomingConnection: Sendable {
    /// Non-blocking, TCP_NODELAY, close-on-exec.
    public var descriptor: Int32
    public var peer: HTTPPeer
    /// Held until the descriptor is closed, as it counts towards the connection limits.
    public var lease: ConnectionLease

    public init(descriptor: Int32, peer: HTTPPeer, lease: ConnectionLease) {
        self.descriptor = descriptor
        self.peer = peer
        self.lease = lease
    }
}

/// A place among the open connections; freed with the last reference to it.
public final class ConnectionLease: Sendable {
    private let onRelease: @Sendable () -> Void

    public init(onRelease: @escaping @Sendable () -> Void) {
        self.onRelease = onRelease
    }

    deinit { onRelease() }
}
