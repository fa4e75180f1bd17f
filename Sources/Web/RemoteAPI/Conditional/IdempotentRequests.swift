// SPDX-License-Identifier: Apache-2.0

import HTTP
import Kernel
import Playback
import Service
import Synchronization

/// Carries out a write at most once per `Idempotency-Key`. Any thread.
final class IdempotentRequests: Sendable {
    private let clock: any PlayerClock
    private let ledger = Mutex(IdempotencyLedger<Reply>())

    init(clock: any PlayerClock) {
        self.clock = clock
    }

    /// Calls `run` unless the key was used before; a repeated request gets the first reply. `target` identifies the
    /// resource, whichever of its paths was used.
    func perform(
        _ request: HTTPRequest, target: String, reply: @escaping Reply, run: (@escaping Reply) throws(Problem) -> Void
    )
        throws(Problem)
    {
        let keys = request.headers.values("Idempotency-Key")
        guard let key = keys.first else { return try run(reply) }
        guard keys.count == 1 else { throw .malformed("Idempotency-Key must be given once.") }
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

    /// Valid only in this process, as the hash has a random seed.
    private static func fingerprint(_ request: HTTPRequest, _ target: String) -> Int {
        var hasher = Hasher()
        hasher.combine(request.method)
        hasher.combine(target)
        hasher.combine(request.headers.values("If-Match"))
        hasher.combine(request.body)
        return hasher.finalize()
    }
}

/// A bounded memory of replies to requests with an `Idempotency-Key`. A pure value. `finish` returns the `Waiter`s that
/// were passed to `start` meanwhile.
struct IdempotencyLedger<Waiter> {
    static var maximumKeys: Int { 256 }
    static var maximumBytes: Int { 1 << 20 }
    static var seconds: Double { 600 }

    enum Start {
        /// This is the first request with the key: carry it out, then call `finish`.
        case run
        case repeated(HTTPResponse)
        /// The first request has no reply yet; `finish` will return the waiter.
        case waiting
        /// The key belongs to another request.
        case mismatch
        /// Too many requests with keys have no reply yet.
        case full
    }

    private struct Entry {
        var key: String
        var fingerprint: Int
        var answer: HTTPResponse?
        var bytes = 0
        var at: MonotonicTime
        var waiters: [Waiter] = []
    }

    /// In order of the first requests.
    private var entries: [Entry] = []

    mutating func start(_ key: String, fingerprint: Int, now: MonotonicTime, waiter: Waiter) -> Start {
        entries.removeAll { $0.answer != nil && now.seconds(since: $0.at) >= Self.seconds }
        if let index = entries.firstIndex(where: { $0.key == key }) {
            guard entries[index].fingerprint == fingerprint else { return .mismatch }
            if let answer = entries[index].answer { return .repeated(answer) }
            entries[index].waiters.append(waiter)
            return .waiting
        }
        if entries.count >= Self.maximumKeys, !dropOldestAnswer() { return .full }
        entries.append(Entry(key: key, fingerprint: fingerprint, at: now))
        return .run
    }

    /// Returns the waiters. Keeps the reply unless the server failed, in which case the next request is carried out.
    mutating func finish(_ key: String, _ answer: HTTPResponse, now: MonotonicTime) -> [Waiter] {
        guard let index = entries.firstIndex(where: { $0.key == key }) else { return [] }
        let waiters = entries[index].waiters
        guard answer.status < 500, answer.status != 429, let size = Self.size(answer), size <= Self.maximumBytes else {
            entries.remove(at: index)
            return waiters
        }
        entries[index].waiters = []
        (entries[index].answer, entries[index].bytes, entries[index].at) = (answer, size, now)
        while entries.reduce(0, { $0 + $1.bytes }) > Self.maximumBytes, dropOldestAnswer() {}
        return waiters
    }

    private mutating func dropOldestAnswer() -> Bool {
        guard let index = entries.firstIndex(where: { $0.answer != nil }) else { return false }
        entries.remove(at: index)
        return true
    }

    private static func size(_ answer: HTTPResponse) -> Int? {
        switch answer.body {
        case .none: 256
        case .bytes(let bytes): 256 + bytes.count
        case .shared(let shared): 256 + shared.bytes.count
        case .file, .stream, .upgrade: nil
        }
    }
}
