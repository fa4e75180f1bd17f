// SPDX-License-Identifier: Apache-2.0

import Threading

/// When `buffer` is told: what is loaded, when that is news, at most every `interval`; the last news is never left out.
struct BufferNews {
    static let interval = 0.1

    private var told: (loaded: LoadedMedia?, at: MonotonicTime)?
    private var isWaiting = false

    /// When what waits is to be looked at again; nil when nothing waits.
    var nextDue: MonotonicTime? { isWaiting ? told?.at.advanced(bySeconds: Self.interval) : nil }

    func isDue(_ now: MonotonicTime) -> Bool { nextDue.map { $0 <= now } ?? false }

    /// Clients may have missed what was told: it is news once more.
    mutating func forget() { told?.loaded = nil }

    /// Whether to tell it now.
    mutating func tell(_ loaded: LoadedMedia, now: MonotonicTime) -> Bool {
        isWaiting = false
        guard loaded.tellsMore(than: told?.loaded) else { return false }
        if let told, now.seconds(since: told.at) < Self.interval {
            isWaiting = true
            return false
        }
        told = (loaded, now)
        return true
    }
}
