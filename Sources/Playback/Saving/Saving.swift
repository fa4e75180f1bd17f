// SPDX-License-Identifier: Apache-2.0

internal import Kernel

/// The saves that the player makes without a command: when the position is due, whether saving fails, and the store's
/// mark of the item that is opened at the start. `PlayerCore+Saving` calls this type and the store.
struct Saving {
    /// Seconds between retries while saving fails.
    static let retryInterval = 1.0

    var positionSavedAt = MonotonicTime(nanoseconds: 0)
    /// nil while the state can be saved.
    private var trouble: (message: String, retryAt: MonotonicTime)?
    private(set) var isMarked: Bool
    /// The store has refused an edit of an alarm, and has another queue. Saving counts as failing until it has this one.
    var queueIsUnsaved = false

    init(isMarked: Bool) { self.isMarked = isMarked }

    var failure: String? { trouble?.message }
    var retryTime: MonotonicTime? { trouble?.retryAt }
    func positionTime(every interval: Double) -> MonotonicTime { positionSavedAt.advanced(bySeconds: interval) }

    /// Returns true if saving worked before.
    mutating func failed(_ message: String, _ now: MonotonicTime) -> Bool {
        defer { trouble = (message, retryTime ?? now.advanced(bySeconds: Self.retryInterval)) }
        return trouble == nil
    }

    /// Returns true if saving failed before.
    mutating func succeeded() -> Bool {
        defer { trouble = nil }
        return trouble != nil
    }

    /// Returns true if a retry is due.
    mutating func takeRetry(_ now: MonotonicTime) -> Bool {
        guard let retryTime, retryTime <= now else { return false }
        trouble?.retryAt = now.advanced(bySeconds: Self.retryInterval)
        return true
    }

    /// Returns true once, if the item is marked.
    mutating func takeMark() -> Bool {
        defer { isMarked = false }
        return isMarked
    }
}
