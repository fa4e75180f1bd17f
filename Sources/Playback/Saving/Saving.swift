// SPDX-License-Identifier: Apache-2.0

internal import Kernel

/// The saves that the player makes by itself, without a command: when the position is due, whether saving fails, and the store's
/// mark of the item that was opened at the start. `PlayerCore+Saving` calls it and asks the store.
struct Saving {
    /// Seconds between two tries while saving fails.
    static let retryInterval = 1.0

    private var positionSavedAt = MonotonicTime(nanoseconds: 0)
    /// nil while the state can be saved.
    private var trouble: (message: String, retryAt: MonotonicTime)?
    private(set) var isMarked: Bool

    init(isMarked: Bool) { self.isMarked = isMarked }

    var failure: String? { trouble?.message }
    var retryTime: MonotonicTime? { trouble?.retryAt }
    func positionTime(every interval: Double) -> MonotonicTime { positionSavedAt.advanced(bySeconds: interval) }

    mutating func savedPosition(_ now: MonotonicTime) { positionSavedAt = now }

    /// True when saving worked before.
    mutating func failed(_ message: String, _ now: MonotonicTime) -> Bool {
        defer { trouble = (message, retryTime ?? now.advanced(bySeconds: Self.retryInterval)) }
        return trouble == nil
    }

    /// True when saving had failed before.
    mutating func succeeded() -> Bool {
        defer { trouble = nil }
        return trouble != nil
    }

    /// True when it is time to try again.
    mutating func takeRetry(_ now: MonotonicTime) -> Bool {
        guard let retryTime, retryTime <= now else { return false }
        trouble?.retryAt = now.advanced(bySeconds: Self.retryInterval)
        return true
    }

    /// True once, when there is a mark.
    mutating func takeMark() -> Bool {
        defer { isMarked = false }
        return isMarked
    }
}
