// SPDX-License-Identifier: Apache-2.0

import HTTP

typealias Reply = @Sendable (HTTPResponse) -> Void

/// One request as a handler sees it: its path parameters are decoded, its access was checked.
struct APICall: Sendable {
    var request: HTTPRequest
    var parameters: [String] = []

    func body<Body: Decodable>(_ type: Body.Type) throws(Problem) -> Body {
        try JSONBody.read(type, from: request.body)
    }
}

/// One entry of the routes table.
struct Route: Sendable {
    /// Answers at once or later, from any thread; a thrown problem is the answer.
    typealias Handler = @Sendable (APICall, @escaping Reply) throws(Problem) -> Void

    var method: HTTPMethod
    /// As in openapi.yaml, with `{name}` for a parameter that takes one segment.
    var pattern: String
    /// nil: open to everyone who may reach the server.
    var scope: AccessScope?
    /// Server-Sent Events are a GET that a foreign page must not read.
    var isEventStream = false
    var handler: Handler

    var isSafe: Bool { method == .get }

    var need: AccessPolicy.Need {
        AccessPolicy.Need(scope: scope, refusesForeignOrigin: !isSafe || isEventStream)
    }
}

extension Route {
    static func get(_ pattern: String, scope: AccessScope? = .read, _ handler: @escaping Handler) -> Route {
        Route(method: .get, pattern: pattern, scope: scope, handler: handler)
    }

    static func post(_ pattern: String, _ handler: @escaping Handler) -> Route {
        Route(method: .post, pattern: pattern, scope: .control, handler: handler)
    }

    static func put(_ pattern: String, _ handler: @escaping Handler) -> Route {
        Route(method: .put, pattern: pattern, scope: .control, handler: handler)
    }

    static func patch(_ pattern: String, _ handler: @escaping Handler) -> Route {
        Route(method: .patch, pattern: pattern, scope: .control, handler: handler)
    }

    static func delete(_ pattern: String, _ handler: @escaping Handler) -> Route {
        Route(method: .delete, pattern: pattern, scope: .control, handler: handler)
    }
}

extension HTTPResponse {
    /// A JSON answer that no cache may keep.
    static func json(_ bytes: [UInt8], status: Int = 200, _ headers: [(String, String)] = []) -> HTTPResponse {
        HTTPResponse(
            status: status,
            headers: HTTPHeaders([("Content-Type", "application/json"), ("Cache-Control", "no-store")] + headers),
            body: .bytes(bytes))
    }
}
