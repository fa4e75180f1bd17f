// SPDX-License-Identifier: Apache-2.0

public import Kernel

/// Admits WebSocket clients and makes a session for each connection. Declared here so that the event channel does not
/// depend on a WebSocket library.
public protocol WebSocketApplication: Sendable {
    /// Called with the upgrade request, on a thread of the HTTP server; must not block.
    func accept(_ request: HTTPRequest) -> WebSocketAcceptance
    /// Called once, before the server's thread starts. `wake` makes the server call `tick`; any thread may call it at any
    /// time.
    func opened(wake: @escaping @Sendable () -> Void)
    /// Does everything that is due, and returns the time of the next call; nil if only `wake` can cause one. Called on the
    /// server's thread; must not block.
    func tick() -> MonotonicTime?
}

/// An application without timed frames.
extension WebSocketApplication {
    public func opened(wake: @escaping @Sendable () -> Void) {}
    public func tick() -> MonotonicTime? { nil }
}

public enum WebSocketAcceptance: Sendable {
    /// `subprotocol` is echoed to the client (nil: none).
    case accepted(any WebSocketSession, subprotocol: String?)
    /// The response instead of 101.
    case refused(HTTPResponse)
}

/// One open connection. All methods are called on the WebSocket server's thread and must not block.
public protocol WebSocketSession: AnyObject, Sendable {
    /// Called once, first. `wake` makes the server call `nextFrame` once the socket is writable; any thread may call it at any
    /// time, even after `closed`.
    func opened(wake: @escaping @Sendable () -> Void)
    /// A complete text message in valid UTF-8, within the server's size limit.
    func received(text: String)
    /// The next frame to send; nil if there is none yet. Called only while the socket is writable, so the session must bound
    /// the frames that wait. Sessions may share the bytes.
    func nextFrame() -> WebSocketFrame?
    /// Called once, last.
    func closed()
}

public enum WebSocketFrame: Sendable {
    /// In UTF-8.
    case text(SharedBytes)
    /// Ends the connection with this code and a reason of at most 123 bytes.
    case close(code: UInt16, reason: String)
}

/// Immutable bytes that many senders share.
public final class SharedBytes: Sendable {
    public let bytes: [UInt8]

    public init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }
}
