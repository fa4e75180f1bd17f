// SPDX-License-Identifier: Apache-2.0

import HTTP
import Threading
internal import Numbers

/// Counts wrong tokens per peer: guessing is slowed down, a typing error is not.
struct FailedAttempts {
    static let allowed = 10
    static let window = 60.0
    /// Peers remembered at once; the oldest is forgotten first.
    static let maximumPeers = 1024

    private struct Entry {
        var count: Int
        var since: MonotonicTime
    }

    private var entries: [HTTPPeer: Entry] = [:]

    /// Whole seconds to wait when the peer has failed too often; nil when it may try.
    func secondsToWait(_ peer: HTTPPeer, now: MonotonicTime) -> Int? {
        guard let entry = entries[peer], entry.count >= Self.allowed else { return nil }
        let rest = Self.window - now.seconds(since: entry.since)
        return rest > 0 ? Int(clamping: rest.rounded(.up)) : nil
    }

    mutating func record(_ peer: HTTPPeer, now: MonotonicTime) {
        if let entry = entries[peer], now.seconds(since: entry.since) < Self.window {
            entries[peer] = Entry(count: entry.count + 1, since: entry.since)
            return
        }
        if entries.count >= Self.maximumPeers, let oldest = entries.min(by: { $0.value.since < $1.value.since }) {
            entries[oldest.key] = nil
        }
        entries[peer] = Entry(count: 1, since: now)
    }
}
