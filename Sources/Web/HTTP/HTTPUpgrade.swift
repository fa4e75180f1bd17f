// SPDX-License-Identifier: Apache-2.0

/// Answers requests for another protocol on a connection that an HTTP server owns already (RFC 9110 section 7.8).
public protocol HTTPUpgrader: Sendable {
    /// 101 with a body of `.upgrade`, or a refusal. Called on the HTTP server's thread; must not block.
    func upgrade(_ request: HTTPRequest) -> HTTPResponse
}

/// A connection that has left HTTP: its 101 is sent. The receiver owns the descriptor.
public struct UpgradedConnection: Sendable {
    /// Non-blocking, close-on-exec.
    public var descriptor: Int32
    /// The bytes behind the request that the HTTP server has read already.
    public var received: [UInt8]
    /// Held until the descriptor is closed.
    public var lease: ConnectionLease

    public init(descriptor: Int32, received: [UInt8], lease: ConnectionLease) {
        self.descriptor = descriptor
        self.received = received
        self.lease = lease
    }
}
