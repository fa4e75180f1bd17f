// SPDX-License-Identifier: Apache-2.0

import HTTP
import Logging
import Playback
import Synchronization
import Service

/// Applies the access policy to requests and slows down the guessing of tokens. Usable from any thread.
final class Gate: Sendable {
    private let policy: AccessPolicy
    private let clock: any PlayerClock
    private let log: Logger?
    private let failures = Mutex(FailedAttempts())

    init(policy: AccessPolicy, clock: any PlayerClock, log: Logger? = nil) {
        self.policy = policy
        self.clock = clock
        self.log = log
    }

    /// As `AccessPolicy.decide`.
    func admit(
        _ request: HTTPRequest, _ scope: AccessScope?, refusesForeignOrigin: Bool = false
    ) throws(Problem) -> AccessPolicy.Grant {
        let token = AccessPolicy.token(in: request.headers)
        if let token { try checkGuesses(token, of: request) }
        do throws(Problem) {
            let grant = try policy.decide(request, scope, refusesForeignOrigin: refusesForeignOrigin)
            if let token, scope != nil { failures.withLock { $0.succeeded(request.guesser, token) } }
            return grant
        } catch {
            if error.code == Problem.tokenWrong.code { record(request.guesser) }
            throw error
        }
    }

    /// Beyond the limit no token is compared, so that a guess is worth nothing, but one that came from there before: its user
    /// may have the guesser's address.
    private func checkGuesses(_ token: String, of request: HTTPRequest) throws(Problem) {
        guard let seconds = failures.withLock({ $0.secondsToWait(request.guesser, token, now: clock.now) }) else {
            return
        }
        throw Problem(
            .tooMany, "too-many-attempts", "Too many wrong tokens came from this address: try again in \(seconds) s.",
            retryAfter: seconds)
    }

    private func record(_ guesser: HTTPPeer) {
        let (count, isLogged) = failures.withLock { $0.record(guesser, now: clock.now) }
        guard isLogged else { return }
        if count == FailedAttempts.allowed {
            log?.warning(
                "tokens are guessed: more from this address are refused for a minute", metadata: ["from": "\(guesser)"])
        } else if count == 1 {
            log?.notice("a wrong token was sent", metadata: ["from": "\(guesser)"])
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
    static var tokenWrong: Problem {
        Problem(.door(401), "token-wrong", "The token is not known here.")
            .with("WWW-Authenticate", "Bearer realm=\"tonearm\", error=\"invalid_token\"")
    }

    static func scopeMissing(_ scope: AccessScope) -> Problem {
        Problem(.forbidden, "scope-missing", "The token does not allow this: it needs the scope \(scope.rawValue).")
            .with(
                "WWW-Authenticate",
                "Bearer realm=\"tonearm\", error=\"insufficient_scope\", scope=\"\(scope.rawValue)\"")
    }
}
