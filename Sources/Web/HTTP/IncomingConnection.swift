// SPDX-License-Identifier: Apache-2.0

/// An accepted connection whose request head has come whole but is still unread in the socket. Whoever takes it owns the
/// descriptor.
public struct IncomingConnection: Sendable {
    /// Non-blocking, TCP_NODELAY, close-on-exec.
    public var descriptor: Int32
    public var peer: HTTPPeer
    /// Held until the descriptor is closed: it counts for the limits of connections.
    public var lease: ConnectionLease

    public init(descriptor: Int32, peer: HTTPPeer, lease: ConnectionLease) {
        self.descriptor = descriptor
        self.peer = peer
        self.lease = lease
    }
}

/// Counts one open connection for as long as it lives.
public final class ConnectionLease: Sendable {
    private let onRelease: @Sendable () -> Void

    public init(onRelease: @escaping @Sendable () -> Void = {}) {
        self.onRelease = onRelease
    }

    deinit { onRelease() }
}
