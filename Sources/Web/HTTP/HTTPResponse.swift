// SPDX-License-Identifier: Apache-2.0

/// One answer: a value, no socket.
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
    /// The same object answered again is not copied again; the server may keep it for some more answers.
    case shared(SharedBytes)
    /// Sent from the file; the server opens nothing: the responder did, with all its checks. The server closes the
    /// descriptor when it is done.
    case file(descriptor: Int32, offset: UInt64, length: UInt64)
    /// Sent as it comes, until the stream ends or the client goes (Server-Sent Events).
    case stream(any HTTPBodyStream)
    /// Only with 101: the connection leaves HTTP. Called once, on the server's thread, when the head has been sent; not called
    /// when the client has gone.
    case upgrade(@Sendable (UpgradedConnection) -> Void)
}

/// A body that is produced while it is sent. Pulled, so that a slow client cannot make memory grow.
public protocol HTTPBodyStream: AnyObject, Sendable {
    /// Called once before the first `next`. `wake` may be called from any thread, at any time, also after the client has
    /// gone; it makes the server call `next` soon.
    func begin(wake: @escaping @Sendable () -> Void)
    /// The next bytes to send; `.wait` until woken. Called on the server's thread; must not block.
    func next() -> HTTPBodyChunk
    /// The client has gone or the server ends: called once, last.
    func end()
}

public enum HTTPBodyChunk: Sendable {
    case bytes([UInt8])
    case wait
    case finished
}

/// Answers requests. Called on a server's thread; must not block: what takes time replies later, from any thread.
/// `reply` is called exactly once.
public protocol HTTPResponder: Sendable {
    func respond(to request: HTTPRequest, reply: @escaping @Sendable (HTTPResponse) -> Void)
    /// The largest body that a request may have, in bytes; nil: as large as the server takes any. Asked before the body
    /// is read.
    func bodyLimit(method: HTTPMethod, path: String) -> Int?
    /// What a request with a large body is answered without it; nil: the body is to be read, and decides. `head` has
    /// everything but its body.
    func refusal(of head: HTTPRequest) -> HTTPResponse?
}

extension HTTPResponder {
    public func bodyLimit(method: HTTPMethod, path: String) -> Int? { nil }
    public func refusal(of head: HTTPRequest) -> HTTPResponse? { nil }
}
