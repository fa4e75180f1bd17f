// SPDX-License-Identifier: Apache-2.0

import HTTP
import Service

typealias Reply = @Sendable (HTTPResponse) -> Void

/// A request as its handler sees it. Access was checked already.
struct APICall: Sendable {
    var request: HTTPRequest
    /// The values of the pattern's parameters, still percent-encoded.
    var parameters: [String] = []
    /// The client's rights.
    var scope: AccessScope?

    var caller: Caller { request.caller }
    var body: JSONBody { JSONBody(request.body) }
    var command: Command { Command(body: body, caller: caller, expectedTags: request.headers.values("If-Match")) }

    /// Only parameters that the route declares get here.
    var query: Query { Query(request) }
}

/// One entry of the routing table.
struct Route: Sendable {
    /// Replies at once or later, from any thread. A thrown problem is the reply.
    typealias Handler = @Sendable (APICall, @escaping Reply) throws(Problem) -> Void
    /// Must not block.
    typealias Precondition = @Sendable (APICall) throws(Problem) -> Void

    var method: HTTPMethod
    /// As in openapi.yaml; `{name}` stands for one segment.
    var pattern: String
    /// nil if the route needs no token.
    var scope: AccessScope?
    /// A GET that pages of other origins must not cause: it opens an event stream, or makes this server contact another
    /// one.
    var refusesForeignOrigin = false
    /// The names of the query parameters.
    var query: [String] = []
    /// In bytes.
    var largestBody = Self.smallBody
    /// Checks that need only the head. They run before a large body is read, but not for a repeated request
    /// (`Idempotency-Key`), which gets the first reply.
    var precondition: Precondition?
    /// The command of the event channel that does the same; nil if there is none.
    var command: (name: String, perform: Command.Handler)?
    var handler: Handler

    /// Far more than a request without a list needs.
    static let smallBody = 64 * 1024
    /// Enough for a hundred thousand items with long addresses.
    static let listBody = 32 << 20

    var isSafe: Bool { method == .get }

    func answer(_ call: APICall, _ reply: @escaping Reply) {
        do throws(Problem) { try handler(call, reply) } catch { reply(error.response) }
    }

    func admit(_ request: HTTPRequest, _ gate: Gate) throws(Problem) -> AccessScope? {
        try gate.admit(request, scope, refusesForeignOrigin: !isSafe || refusesForeignOrigin)
    }
}

extension Route {
    static func get(
        _ pattern: String, scope: AccessScope? = .read, query: [String] = [], _ handler: @escaping Handler
    ) -> Route {
        Route(method: .get, pattern: pattern, scope: scope, query: query, handler: handler)
    }

    /// A GET that replies at once, with a JSON object of the value that `read` returns.
    static func show<Value>(
        _ pattern: String, _ read: @escaping @Sendable (APICall) throws(Problem) -> Value,
        _ write: @escaping @Sendable (inout JSONWriter, Value) -> Void
    ) -> Route {
        get(pattern) { call, reply throws(Problem) in
            let value = try read(call)
            reply(.json { write(&$0, value) })
        }
    }

    static func write(
        _ method: HTTPMethod, _ pattern: String, scope: AccessScope = .control, largestBody: Int = smallBody,
        _ handler: @escaping Handler
    ) -> Route {
        Route(method: method, pattern: pattern, scope: scope, largestBody: largestBody, handler: handler)
    }

    /// A DELETE, whose body takes no members.
    static func delete(_ pattern: String, scope: AccessScope = .control, _ handler: @escaping Handler) -> Route {
        write(.delete, pattern, scope: scope) { call, reply throws(Problem) in
            _ = try call.body.members()
            try handler(call, reply)
        }
    }
}

extension HTTPRequest {
    var caller: Caller {
        var address: String?
        if case .remote(let remote) = peer { address = remote }
        guard let recipient else { return Caller(address: address) }
        return Caller(address: address) { recipient.isGone }
    }

    /// 304 if the client has the version of this tag.
    func notModified(_ tag: EntityTag, _ cacheControl: String = "no-cache") -> HTTPResponse? {
        guard headers.ifNoneMatchRefuses(tag) == true else { return nil }
        return HTTPResponse(status: 304, headers: HTTPHeaders(tag.fields(cacheControl)))
    }
}

extension EntityTag {
    /// The headers of a response that clients may keep, but must revalidate.
    func fields(_ cacheControl: String = "no-cache") -> [(String, String)] {
        [("ETag", description), ("Cache-Control", cacheControl)]
    }
}

extension HTTPResponse {
    /// A JSON object that no cache may keep.
    static func json(
        status: Int = 200, _ headers: [(String, String)] = [], capacity: Int = 512,
        _ members: (inout JSONWriter) -> Void
    ) -> HTTPResponse {
        .json(JSONWriter.object(capacity: capacity, members), status: status, headers)
    }

    /// A JSON response that no cache may keep.
    static func json(_ bytes: [UInt8], status: Int = 200, _ headers: [(String, String)] = []) -> HTTPResponse {
        .content(bytes, "application/json", status: status, [("Cache-Control", "no-store")] + headers)
    }

    static func content(
        _ bytes: [UInt8], _ type: String, status: Int = 200, _ headers: [(String, String)]
    ) -> HTTPResponse {
        HTTPResponse(status: status, headers: HTTPHeaders([("Content-Type", type)] + headers), body: .bytes(bytes))
    }
}
