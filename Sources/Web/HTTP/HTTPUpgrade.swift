// SPDX-License-Identifier: Apache-2.0

/// Responds to upgrade requests on a connection that an HTTP server owns (RFC 9110 section 7.8).
public protocol HTTPUpgrader: Sendable {
    /// 101 with a body of `.upgrade`, or a refusal. Called on the HTTP server's thread; must not block.
    func upgrade(_ request: HTTPRequest) -> HTTPResponse
}

/// A connection that has left HTTP, after its 101 was sent. The receiver owns the descriptor.
public struct UpgradedConnection: Sendable {
    /// Non-blocking, close-on-exec.
    public var descriptor: Int32
    /// Bytes after the request that the HTTP server has already read.
    public var received: [UInt8]
    /// Held until the descriptor is closed.
    public var lease: ConnectionLease

    public init(descriptor: Int32, received: [UInt8], lease: ConnectionLease) {
        self.descriptor = descriptor
        self.received = received
        self.lease = lease
    }
}
