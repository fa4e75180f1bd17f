// SPDX-License-Identifier: Apache-2.0

import HTTP
import Kernel

/// Counts wrong tokens per peer: guessing is slowed down, a typing error is not.
struct FailedAttempts {
    static let allowed = 10
    static let window = 60.0
    /// Peers remembered at once; the oldest is forgotten first.
    static let maximumPeers = 1024
    /// Lines in the log per window, however many peers guess.
    static let maximumLines = 50

    private struct Entry {
        var count: Int
        var since: MonotonicTime
    }

    private var entries: [HTTPPeer: Entry] = [:]
    /// The token that a peer used last with success. Those that came last are kept.
    private var known = RecentlyUsed<HTTPPeer, AccessToken>(capacity: maximumPeers)
    private var lines = (count: 0, since: MonotonicTime?.none)

    /// Whole seconds to wait when the peer has failed too often; nil when it may try.
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

    /// How many came from the peer within the window, and whether a line of the log is left for it.
    mutating func record(_ peer: HTTPPeer, now: MonotonicTime) -> (count: Int, isLogged: Bool) {
        let count: Int
        if let entry = entries[peer], now.seconds(since: entry.since) < Self.window {
            count = entry.count + 1
            entries[peer] = Entry(count: count, since: entry.since)
        } else {
            if entries.count >= Self.maximumPeers, let oldest = entries.min(by: { $0.value.since < $1.value.since }) {
                entries[oldest.key] = nil
            }
            count = 1
            entries[peer] = Entry(count: count, since: now)
        }
        if lines.since.map({ now.seconds(since: $0) >= Self.window }) ?? true { lines = (0, now) }
        lines.count += 1
        return (count, lines.count <= Self.maximumLines)
    }
}

extension HTTPRequest {
    /// Whose guesses are counted together: behind a proxy of this machine the address that the proxy has added, the last one.
    /// Other clients may write there what they like, and count as what they are.
    var guesser: HTTPPeer {
        if case .remote = peer { return peer }
        guard let list = headers.values("X-Forwarded-For").last ?? headers["X-Real-IP"],
            let last = list.split(separator: ",").last?.trimmingSpaces, !last.isEmpty
        else { return peer }
        return .remote(String(last.prefix(64)))
    }
}
