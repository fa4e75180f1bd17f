// SPDX-License-Identifier: Apache-2.0

import HTTP
import Playback
import Synchronization
import Service

/// Runs a write at most once per `Idempotency-Key`. Usable from any thread.
final class IdempotentRequests: Sendable {
    private let clock: any PlayerClock
    private let ledger = Mutex(IdempotencyLedger<Reply>())

    init(clock: any PlayerClock) {
        self.clock = clock
    }

    /// Calls `run` unless the key was seen before; answers through `reply` in every case. `target`: what the request is
    /// for, whichever of its paths was used.
    func perform(
        _ request: HTTPRequest, target: String, reply: @escaping Reply, run: (@escaping Reply) throws(Problem) -> Void
    )
        throws(Problem)
    {
        guard let key = request.headers["Idempotency-Key"] else { return try run(reply) }
        guard (1...255).contains(key.utf8.count), key.utf8.allSatisfy({ (33...126).contains($0) || $0 == 32 }) else {
            throw .malformed("Idempotency-Key must be 1 to 255 visible ASCII characters.")
        }
        let now = clock.now
        let start = ledger.withLock {
            $0.start(key, fingerprint: Self.fingerprint(request, target), now: now, waiter: reply)
        }
        switch start {
        case .run:
            do throws(Problem) {
                try run { [self] answer in finish(key, answer, reply) }
            } catch {
                finish(key, error.response, reply)
            }
        case .repeated(let answer): reply(Self.repeated(answer))
        case .waiting: break
        case .mismatch:
            throw .invalid(
                "Idempotency-Key", "This Idempotency-Key was used for another request.", code: "idempotency-key-reused")
        case .full: throw .busy("Too many requests with an Idempotency-Key are under way.")
        }
    }

    private func finish(_ key: String, _ answer: HTTPResponse, _ reply: Reply) {
        let waiters = ledger.withLock { $0.finish(key, answer, now: clock.now) }
        reply(answer)
        for waiter in waiters { waiter(Self.repeated(answer)) }
    }

    private static func repeated(_ answer: HTTPResponse) -> HTTPResponse {
        var answer = answer
        answer.headers.set("Idempotency-Replayed", "true")
        return answer
    }

    /// Within this process only: the hash is seeded anew in each.
    private static func fingerprint(_ request: HTTPRequest, _ target: String) -> Int {
        var hasher = Hasher()
        hasher.combine(request.method)
        hasher.combine(target)
        hasher.combine(request.headers["If-Match"])
        hasher.combine(request.body)
        return hasher.finalize()
    }
}
