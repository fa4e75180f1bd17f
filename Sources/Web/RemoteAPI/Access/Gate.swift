// SPDX-License-Identifier: Apache-2.0

import HTTP
import Kernel
import Logging
import Playback
import Service
import Synchronization

/// Applies the access policy to requests, and limits guesses of tokens. Any thread.
final class Gate: Sendable {
    private let policy: AccessPolicy
    private let clock: any PlayerClock
    private let log: Logger?
    private let failures = Mutex(FailedAttempts())

    init(policy: AccessPolicy, clock: any PlayerClock, log: Logger?) {
        self.policy = policy
        self.clock = clock
        self.log = log
    }

    /// See `AccessPolicy.decide`.
    func admit(
        _ request: HTTPRequest, _ scope: AccessScope?, refusesForeignOrigin: Bool = false
    ) throws(Problem) -> AccessScope? {
        let token = AccessPolicy.token(in: request.headers)
        if let token { try checkGuesses(token, of: request) }
        do throws(Problem) {
            let granted = try policy.decide(request, scope, refusesForeignOrigin: refusesForeignOrigin)
            if let token, scope != nil { failures.withLock { $0.succeeded(request.guesser, token) } }
            return granted
        } catch {
            if error.code == Problem.tokenWrong.code { record(request.guesser) }
            throw error
        }
    }

    /// Beyond the limit every token is refused without a comparison, except the last right one from the same address, whose
    /// user may share that address with the guesser.
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
                "tokens are guessed: further ones from this address are refused for a minute",
                metadata: ["from": "\(guesser)"])
        } else if count == 1 {
            log?.notice("a wrong token was sent", metadata: ["from": "\(guesser)"])
        }
    }

    /// See `AccessPolicy.origin`.
    func origin(of request: HTTPRequest) -> String? { policy.origin(of: request) }

    /// The response to a CORS preflight (Fetch standard, section "CORS-preflight fetch") of a listed origin, which `Finish`
    /// completes; nil if this is none.
    static func preflight(_ request: HTTPRequest, allow: String) -> HTTPResponse? {
        guard request.headers.contains("Access-Control-Request-Method") else { return nil }
        return HTTPResponse(
            status: 204,
            headers: HTTPHeaders([
                ("Access-Control-Allow-Methods", allow),
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

/// Counts wrong tokens per peer, so that guessing is limited but a typing error is not.
struct FailedAttempts {
    static let allowed = 10
    static let window = 60.0
    /// The number of most recent peers that are remembered.
    static let maximumPeers = 1024
    /// Log lines per window, whatever the number of peers.
    static let maximumLines = 50

    private struct Entry {
        var count: Int
        var since: MonotonicTime
    }

    private var entries = RecentlyUsed<HTTPPeer, Entry>(capacity: maximumPeers)
    /// The last right token of each peer.
    private var known = RecentlyUsed<HTTPPeer, AccessToken>(capacity: maximumPeers)
    private var lines = (count: 0, since: MonotonicTime?.none)

    /// Whole seconds until the peer may try again; nil if it may try now.
    mutating func secondsToWait(_ peer: HTTPPeer, _ token: String, now: MonotonicTime) -> Int? {
        guard let entry = entries[peer], entry.count >= Self.allowed else { return nil }
        let rest = Self.window - now.seconds(since: entry.since)
        guard rest > 0, known[peer]?.matches(token) != true else { return nil }
        return Int(clamping: rest.rounded(.up))
    }

    mutating func succeeded(_ peer: HTTPPeer, _ token: String) {
        if known[peer]?.secret == token { return }
        known.insert(AccessToken(secret: token, scope: .read), for: peer, size: 1)
    }

    /// Returns the peer's wrong tokens within the window, and whether the log's limit allows another line.
    mutating func record(_ peer: HTTPPeer, now: MonotonicTime) -> (count: Int, isLogged: Bool) {
        var entry = Entry(count: 0, since: now)
        if let last = entries[peer], now.seconds(since: last.since) < Self.window { entry = last }
        entry.count += 1
        entries.insert(entry, for: peer, size: 1)
        if lines.since.map({ now.seconds(since: $0) >= Self.window }) ?? true { lines = (0, now) }
        lines.count += 1
        return (entry.count, lines.count <= Self.maximumLines)
    }
}

extension HTTPRequest {
    /// The peer whose guesses are counted together. Behind a proxy on this machine this is the address that the proxy added,
    /// the last one. Other clients could write any address there, so they count by their own.
    var guesser: HTTPPeer {
        if case .remote = peer { return peer }
        guard let list = headers.values("X-Forwarded-For").last ?? headers["X-Real-IP"],
            let last = list.split(separator: ",").last?.trimmingSpaces, !last.isEmpty
        else { return peer }
        return .remote(String(last.prefix(64)))
    }
}
