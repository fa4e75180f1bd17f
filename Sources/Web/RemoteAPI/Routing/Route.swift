// SPDX-License-Identifier: Apache-2.0

import HTTP
import Service

typealias Reply = @Sendable (HTTPResponse) -> Void

/// One request as a handler sees it: its path parameters are as the address has them, its access was checked.
struct APICall: Sendable {
    var request: HTTPRequest
    var parameters: [String] = []
    /// The client's rights.
    var scope: AccessScope?

    var caller: Caller { request.caller }
    var body: JSONBody { JSONBody(request.body) }
    var command: Command { Command(body: body, caller: caller, seen: request.headers.values("If-Match")) }

    /// The parameters of the query; the route knows which there are.
    var query: Query { Query(request) }
}

/// One entry of the routes table.
struct Route: Sendable {
    /// Answers at once or later, from any thread; a thrown problem is the answer.
    typealias Handler = @Sendable (APICall, @escaping Reply) throws(Problem) -> Void
    /// Must not block.
    typealias Precondition = @Sendable (APICall) throws(Problem) -> Void

    var method: HTTPMethod
    /// As in openapi.yaml, with `{name}` for a parameter that takes one segment.
    var pattern: String
    /// nil: open to everyone who may reach the server.
    var scope: AccessScope?
    /// Server-Sent Events are a GET that a foreign page must not read.
    var isEventStream = false
    /// A GET that may make this server ask another one: a foreign page must not cause that either.
    var reachesOut = false
    /// The query parameters that it takes.
    var query: [String] = []
    /// In bytes.
    var largestBody = Self.smallBody
    /// What a request must meet besides, as far as its head shows: asked before a large body is read, and not for the
    /// answer of an earlier request (`Idempotency-Key`).
    var precondition: Precondition?
    /// Its name in the event channel, and itself without HTTP; nil for a route that is no command.
    var command: (name: String, perform: Command.Handler)?
    var handler: Handler

    /// Far more than any request needs that carries no list.
    static let smallBody = 64 * 1024
    /// A hundred thousand items with room for long addresses.
    static let listBody = 32 << 20

    var isSafe: Bool { method == .get }

    func answer(_ call: APICall, _ reply: @escaping Reply) {
        do throws(Problem) { try handler(call, reply) } catch { reply(error.response) }
    }

    func admit(_ request: HTTPRequest, _ gate: Gate) throws(Problem) -> AccessPolicy.Grant {
        try gate.admit(request, scope, refusesForeignOrigin: !isSafe || isEventStream || reachesOut)
    }
}

extension Route {
    static func get(
        _ pattern: String, scope: AccessScope? = .read, query: [String] = [], _ handler: @escaping Handler
    ) -> Route {
        Route(method: .get, pattern: pattern, scope: scope, query: query, handler: handler)
    }

    /// A GET that answers at once, with a JSON object of what `read` gives.
    static func show<Value>(
        _ pattern: String, _ read: @escaping @Sendable (APICall) throws(Problem) -> Value,
        _ write: @escaping @Sendable (inout JSONWriter, Value) -> Void
    ) -> Route {
        get(pattern) { call, reply throws(Problem) in
            let value = try read(call)
            reply(.json { write(&$0, value) })
        }
    }

    static func post(
        _ pattern: String, largestBody: Int = smallBody, precondition: Precondition? = nil, _ handler: @escaping Handler
    ) -> Route {
        write(.post, pattern, largestBody, precondition, handler)
    }

    static func put(
        _ pattern: String, largestBody: Int = smallBody, precondition: Precondition? = nil, _ handler: @escaping Handler
    ) -> Route {
        write(.put, pattern, largestBody, precondition, handler)
    }

    static func patch(_ pattern: String, _ handler: @escaping Handler) -> Route {
        write(.patch, pattern, smallBody, nil, handler)
    }

    /// Its body takes no members.
    static func delete(_ pattern: String, _ handler: @escaping Handler) -> Route {
        write(.delete, pattern, smallBody, nil) { call, reply throws(Problem) in
            _ = try call.body.members()
            try handler(call, reply)
        }
    }

    private static func write(
        _ method: HTTPMethod, _ pattern: String, _ largestBody: Int, _ precondition: Precondition?,
        _ handler: @escaping Handler
    ) -> Route {
        Route(
            method: method, pattern: pattern, scope: .control, largestBody: largestBody, precondition: precondition,
            handler: handler)
    }
}

extension HTTPRequest {
    var caller: Caller {
        var address: String?
        if case .remote(let remote) = peer { address = remote }
        guard let recipient else { return Caller(address: address) }
        return Caller(address: address) { recipient.isGone }
    }

    /// 304 where the client has the version of this tag. `headers`: of every answer, the tag's among them.
    func notModified(_ tag: EntityTag, _ fields: [(String, String)]) -> HTTPResponse? {
        headers.ifNoneMatchRefuses(tag) == true ? HTTPResponse(status: 304, headers: HTTPHeaders(fields)) : nil
    }
}

extension HTTPResponse {
    /// A JSON object that no cache may keep.
    static func json(
        status: Int = 200, _ headers: [(String, String)] = [], _ members: (inout JSONWriter) -> Void
    ) -> HTTPResponse {
        .json(JSONWriter.object(members), status: status, headers)
    }

    /// A JSON answer that no cache may keep.
    static func json(_ bytes: [UInt8], status: Int = 200, _ headers: [(String, String)] = []) -> HTTPResponse {
        HTTPResponse(
            status: status,
            headers: HTTPHeaders([("Content-Type", "application/json"), ("Cache-Control", "no-store")] + headers),
            body: .bytes(bytes))
    }
}
