// SPDX-License-Identifier: Apache-2.0

import HTTP

/// Counts an answer and completes its headers.
struct Finish: Sendable {
    private let counters: RequestCounters
    private let method: String
    private let route: String
    private let reply: Reply
    /// Whose page may read the answer; nil for none.
    var origin: String?

    init(_ counters: RequestCounters, _ method: HTTPMethod, route: String, reply: @escaping Reply = { _ in }) {
        self.counters = counters
        self.method = method.isKnown ? method.rawValue : "other"
        self.route = route
        self.reply = reply
    }

    func callAsFunction(_ response: HTTPResponse) { reply(completed(response)) }

    func completed(_ response: HTTPResponse) -> HTTPResponse {
        counters.count(method, route, response.status)
        var response = response
        response.headers.isolate()
        guard let origin else { return response }
        response.headers.set("Access-Control-Allow-Origin", origin)
        response.headers.add("Vary", "Origin")
        response.headers.set(
            "Access-Control-Expose-Headers", "ETag, Location, Retry-After, Idempotency-Replayed, WWW-Authenticate")
        return response
    }
}

extension HTTPMethod {
    /// Others must not make labels of their own.
    fileprivate var isKnown: Bool {
        switch self {
        case .get, .head, .post, .put, .patch, .delete, .options: true
        default: false
        }
    }
}
