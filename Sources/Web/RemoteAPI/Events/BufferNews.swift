// SPDX-License-Identifier: Apache-2.0

import Kernel

/// When `buffer` is sent: for each change of what is loaded, at most every `interval`; the last change is never left out.
struct BufferNews {
    static let interval = 0.1

    private var last: (loaded: LoadedMedia?, at: MonotonicTime)?
    private var isWaiting = false

    /// When to report again; nil when nothing waits.
    var nextDue: MonotonicTime? { isWaiting ? last?.at.advanced(bySeconds: Self.interval) : nil }

    func isDue(_ now: MonotonicTime) -> Bool { nextDue.map { $0 <= now } ?? false }

    /// Clients may have missed the last report: the same is news once more.
    mutating func forget() { last?.loaded = nil }

    /// - Returns: whether to send it now.
    mutating func report(_ loaded: LoadedMedia, now: MonotonicTime) -> Bool {
        isWaiting = false
        guard loaded.isNews(after: last?.loaded) else { return false }
        if let last, now.seconds(since: last.at) < Self.interval {
            isWaiting = true
            return false
        }
        last = (loaded, now)
        return true
    }
}
