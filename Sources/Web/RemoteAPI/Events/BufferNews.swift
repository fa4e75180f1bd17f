// SPDX-License-Identifier: Apache-2.0

import Kernel

/// Decides when `buffer` is sent: after each change of the loaded part, at most every `interval`, and always after the
/// last change.
struct BufferNews {
    static let interval = 0.1

    private var last: (loaded: LoadedMedia?, at: MonotonicTime)?
    private var isWaiting = false

    /// Time of the next report; nil if no change waits.
    var nextDue: MonotonicTime? { isWaiting ? last?.at.advanced(bySeconds: Self.interval) : nil }

    func isDue(_ now: MonotonicTime) -> Bool { nextDue.map { $0 <= now } ?? false }

    /// Clients may have missed the last report, so that the same values must be reported again.
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
