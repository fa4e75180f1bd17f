// SPDX-License-Identifier: Apache-2.0

/// One request, complete with its body: a value, no socket.
public struct HTTPRequest: Sendable {
    public var method: HTTPMethod
    /// Still percent-encoded, but for letters, digits and `-._~`; without the query.
    public var path: String
    /// Percent-decoded pairs in their order; `+` is a space.
    public var query: [(name: String, value: String)]
    public var headers: HTTPHeaders
    public var body: [UInt8]
    /// Where the client's end of the connection is.
    public var peer: HTTPPeer
    /// nil: it is not known whether anybody still waits.
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

public enum HTTPPeer: Hashable, Sendable {
    /// This machine: loopback, or a Unix socket and the same user as the server.
    case loopback
    /// Another user of this machine, over a Unix socket; a proxy is mostly that.
    case user(UInt32)
    /// Numeric address; of IPv6 the network of 64 bits, as one machine has all the addresses in it.
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

/// Who waits for an answer. Owned here so that work that takes long can end when nobody wants it any more, without
/// knowing sockets. Any thread; never blocks.
public protocol HTTPRecipient: AnyObject, Sendable {
    /// The connection is closed from the other end, or the answer has been given. To close only the sending half looks the
    /// same before something is sent: right after the request that is a client that waits, later one that is gone.
    var isGone: Bool { get }
}
