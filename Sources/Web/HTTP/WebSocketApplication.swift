// SPDX-License-Identifier: Apache-2.0

public import Kernel

/// Decides who may open a WebSocket and gives each connection its session. Owned here so that the event channel does
/// not depend on a WebSocket library.
public protocol WebSocketApplication: Sendable {
    /// Called with the upgrade request, on any server's thread; must not block.
    func accept(_ request: HTTPRequest) -> WebSocketAcceptance
    /// Called once, before the server's thread starts. `wake` may be called from any thread and at any time; it makes the
    /// server call `tick`.
    func opened(wake: @escaping @Sendable () -> Void)
    /// Does everything that is due; returns the time of the next call, nil if only `wake` can make something due. Called on
    /// the server's thread; must not block.
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
    /// Answered instead of 101.
    case refused(HTTPResponse)
}

/// One open connection. All methods are called on the WebSocket server's thread and must not block.
public protocol WebSocketSession: AnyObject, Sendable {
    /// Called once, first. `wake` may be called from any thread and at any time, also after the end; it makes the server
    /// call `nextFrame` as soon as the socket takes more.
    func opened(wake: @escaping @Sendable () -> Void)
    /// A whole text message, valid UTF-8, within the server's limit.
    func received(text: String)
    /// The next text message to send, nil when there is none for now. Called only while the socket can take it: what
    /// is not pulled stays with the session, which must bound it. The bytes may be shared by many sessions.
    func nextFrame() -> WebSocketFrame?
    /// Called once, last.
    func closed()
}

public enum WebSocketFrame: Sendable {
    /// UTF-8; shared, not copied, between sessions.
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
