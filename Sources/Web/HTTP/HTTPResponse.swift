// SPDX-License-Identifier: Apache-2.0

/// One response: a value without a socket.
public struct HTTPResponse: Sendable {
    public var status: Int
    public var headers: HTTPHeaders
    public var body: HTTPBody

    public init(status: Int, headers: HTTPHeaders = HTTPHeaders(), body: HTTPBody = .none) {
        self.status = status
        self.headers = headers
        self.body = body
    }
}

public enum HTTPBody: Sendable {
    case none
    case bytes([UInt8])
    /// The server copies the object once, and reuses its copy for later responses with the same object.
    case shared(SharedBytes)
    /// Part of a file that the responder has opened and checked.
    case file(OpenFile, offset: UInt64, length: UInt64)
    /// Sent until the stream ends or the client disconnects (Server-Sent Events).
    case stream(any HTTPBodyStream)
    /// Only with 101: the connection leaves HTTP. Called once, on the server's thread, after the head was sent; not
    /// called if the client has disconnected.
    case upgrade(@Sendable (UpgradedConnection) -> Void)
}

/// A body that is produced while it is sent. The server pulls, so that a slow client cannot make memory grow.
public protocol HTTPBodyStream: AnyObject, Sendable {
    /// Called once, before the first `next`. `wake` makes the server call `next` soon; any thread may call it at any time,
    /// even after the client has disconnected.
    func begin(wake: @escaping @Sendable () -> Void)
    /// The next bytes, or `.wait` until `wake` is called. Called on the server's thread; must not block.
    func next() -> HTTPBodyChunk
    /// Called once, last: the body was sent, the client has disconnected, or the server is stopping.
    func end()
}

public enum HTTPBodyChunk: Sendable {
    case bytes([UInt8])
    case wait
    case finished
}

/// Responds to requests. Called on a server's thread; must not block.
public protocol HTTPResponder: Sendable {
    /// Calls `reply` exactly once, at once or later, from any thread.
    func respond(to request: HTTPRequest, reply: @escaping @Sendable (HTTPResponse) -> Void)
    /// The largest body of such a request in bytes, asked before the body is read. nil: the server's own limit.
    func bodyLimit(method: HTTPMethod, path: String) -> Int?
    /// The response to a request with a large body that is refused whatever the body contains; nil if the body must be
    /// read. `head` is the request without its body.
    func refusal(of head: HTTPRequest) -> HTTPResponse?
}

extension HTTPResponder {
    public func bodyLimit(method: HTTPMethod, path: String) -> Int? { nil }
    public func refusal(of head: HTTPRequest) -> HTTPResponse? { nil }
}
