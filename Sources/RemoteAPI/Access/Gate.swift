// SPDX-License-Identifier: Apache-2.0

import HTTP
import Playback
import Synchronization

/// Applies the access policy to requests and slows down the guessing of tokens. Usable from any thread.
final class Gate: Sendable {
    private let policy: AccessPolicy
    private let clock: any PlayerClock
    private let failures = Mutex(FailedAttempts())

    init(policy: AccessPolicy, clock: any PlayerClock) {
        self.policy = policy
        self.clock = clock
    }

    func admit(_ request: HTTPRequest, _ need: AccessPolicy.Need) throws(Problem) -> AccessPolicy.Grant {
        switch policy.decide(request, need) {
        case .success(let grant):
            // The right token is never kept waiting: behind a proxy or on loopback a guesser has its user's address.
            return grant
        case .failure(.tokenWrong):
            if let seconds = failures.withLock({ $0.secondsToWait(request.peer, now: clock.now) }) {
                throw Problem(
                    status: 429, code: "too-many-attempts", title: "Too many attempts",
                    detail: "Too many wrong tokens came from this address: try again in \(seconds) s.",
                    headers: [("Retry-After", String(seconds))])
            }
            failures.withLock { $0.record(request.peer, now: clock.now) }
            throw Problem(.tokenWrong)
        case .failure(let refusal): throw Problem(refusal)
        }
    }

    /// A browser asks before it sends a cross-origin request (Fetch standard, section "CORS-preflight fetch").
    func preflight(_ request: HTTPRequest, allow: String) -> HTTPResponse? {
        let origins = request.headers.values("Origin")
        guard origins.count == 1, let origin = origins.first, request.headers["Access-Control-Request-Method"] != nil,
            policy.isListed(origin: origin)
        else { return nil }
        return HTTPResponse(
            status: 204,
            headers: HTTPHeaders([
                ("Access-Control-Allow-Origin", origin), ("Vary", "Origin"), ("Access-Control-Allow-Methods", allow),
                (
                    "Access-Control-Allow-Headers",
                    "Authorization, Content-Type, If-Match, If-None-Match, Idempotency-Key, Last-Event-ID"
                ),
                ("Access-Control-Max-Age", "600"), ("Allow", allow),
            ]))
    }
}

extension Problem {
    init(_ refusal: AccessPolicy.Refusal) {
        switch refusal {
        case .hostMissing:
            self.init(
                status: 400, code: "host-missing", title: "Malformed request",
                detail: "The request needs a Host header.")
        case .hostNotAllowed:
            self.init(
                status: 403, code: "host-not-allowed", title: "Forbidden",
                detail: "This server does not answer under that host name; allow it with --allow-host.")
        case .originNotAllowed:
            self.init(
                status: 403, code: "origin-not-allowed", title: "Forbidden",
                detail: "Pages from that origin may not use this server; allow it with --allow-origin.")
        case .tokenMissing:
            self.init(
                status: 401, code: "token-missing", title: "Unauthorized",
                detail: "A token is needed: send it as Authorization: Bearer TOKEN.",
                headers: [("WWW-Authenticate", "Bearer realm=\"tonearm\"")])
        case .tokenWrong:
            self.init(
                status: 401, code: "token-wrong", title: "Unauthorized", detail: "The token is not known here.",
                headers: [("WWW-Authenticate", "Bearer realm=\"tonearm\", error=\"invalid_token\"")])
        case .scopeMissing(let scope):
            self.init(
                status: 403, code: "scope-missing", title: "Forbidden",
                detail: "The token does not allow this: it needs the scope \(scope.rawValue).",
                headers: [
                    (
                        "WWW-Authenticate",
                        "Bearer realm=\"tonearm\", error=\"insufficient_scope\", scope=\"\(scope.rawValue)\""
                    )
                ])
        }
    }
}
