// SPDX-License-Identifier: Apache-2.0

/// A complete request, including its body: a value without a socket.
public struct HTTPRequest: Sendable {
    public var method: HTTPMethod
    /// Percent-encoded, except letters, digits and `-._~`; without the query.
    public var path: String
    /// Percent-decoded pairs in order; `+` is a space.
    public var query: [(name: String, value: String)]
    public var headers: HTTPHeaders
    public var body: [UInt8]
    public var peer: HTTPPeer
    /// nil if the server cannot know whether the client still waits.
    public var recipient: (any HTTPRecipient)?

    public init(
        method: HTTPMethod, path: String, query: [(name: String, value: String)] = [],
        headers: HTTPHeaders = HTTPHeaders(), body: [UInt8] = [], peer: HTTPPeer = .loopback,
        recipient: (any HTTPRecipient)? = nil
    ) {
        self.method = method
        self.path = path
        self.query = query
        self.headers = headers
        self.body = body
        self.peer = peer
        self.recipient = recipient
    }
}

/// The client's end of a connection.
public enum HTTPPeer: Hashable, Sendable {
    /// This machine: a loopback address, or a Unix socket used by the server's own user.
    case loopback
    /// Another user of this machine, over a Unix socket; usually a proxy.
    case user(UInt32)
    /// A numeric address. Of IPv6 the /64 network, as one machine can use all its addresses.
    case remote(String)
}

public struct HTTPMethod: RawRepresentable, Hashable, Sendable {
    public var rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    public static let get = HTTPMethod(rawValue: "GET")
    public static let head = HTTPMethod(rawValue: "HEAD")
    public static let post = HTTPMethod(rawValue: "POST")
    public static let put = HTTPMethod(rawValue: "PUT")
    public static let patch = HTTPMethod(rawValue: "PATCH")
    public static let delete = HTTPMethod(rawValue: "DELETE")
    public static let options = HTTPMethod(rawValue: "OPTIONS")
}

/// The client that waits for a response. Lets long work stop when the client has disconnected, without knowledge of
/// sockets. Any thread; never blocks.
public protocol HTTPRecipient: AnyObject, Sendable {
    /// The client has closed the connection, or the response was sent. A client that closes only its sending half looks the
    /// same: if it does so right after its request it still waits, later it counts as gone.
    var isGone: Bool { get }
}
