// SPDX-License-Identifier: Apache-2.0

import HTTP
import Synchronization

/// Counts a response and completes its headers.
struct Finish: Sendable {
    /// The only methods that become labels.
    private static let methods: Set<HTTPMethod> = [.get, .head, .post, .put, .patch, .delete, .options]

    private let counters: RequestCounters
    private let method: String
    private let route: String
    /// See `AccessPolicy.origin`.
    private let origin: String?
    private let reply: Reply

    init(
        _ counters: RequestCounters, _ method: HTTPMethod, route: String, origin: String? = nil,
        reply: @escaping Reply = { _ in }
    ) {
        self.counters = counters
        self.method = Self.methods.contains(method) ? method.rawValue : "other"
        self.route = route
        self.origin = origin
        self.reply = reply
    }

    private static let exposedHeaders =
        "Content-Disposition, Content-Range, ETag, Idempotency-Replayed, Location, Retry-After, WWW-Authenticate, "
        + "X-Actual-Time"

    func callAsFunction(_ response: HTTPResponse) { reply(completed(response)) }

    func completed(_ response: HTTPResponse) -> HTTPResponse {
        counters.count(method, route, response.status)
        var response = response
        response.headers.isolate()
        guard let origin else { return response }
        response.headers.set("Access-Control-Allow-Origin", origin)
        response.headers.add("Vary", "Origin")
        response.headers.set("Access-Control-Expose-Headers", Self.exposedHeaders)
        return response
    }
}

/// Counts responses by method, route and status.
final class RequestCounters: Sendable {
    struct Key: Hashable {
        var method: String
        /// The route's pattern, so that ids do not make labels.
        var route: String
        var status: Int
    }

    private let counts = Mutex<[Key: UInt64]>([:])

    func count(_ method: String, _ route: String, _ status: Int) {
        counts.withLock { $0[Key(method: method, route: route, status: status), default: 0] += 1 }
    }

    var all: [(key: Key, count: UInt64)] {
        counts.withLock { $0.map { (key: $0.key, count: $0.value) } }.sorted {
            ($0.key.route, $0.key.method, $0.key.status) < ($1.key.route, $1.key.method, $1.key.status)
        }
    }
}
