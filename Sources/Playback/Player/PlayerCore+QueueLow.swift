// SPDX-License-Identifier: Apache-2.0

/// Reports that nothing follows the current item, while there is time to add one.
extension PlayerCore {
    /// Seconds before the end. A web server needs `openAhead` of them; the client that adds the item has the rest.
    static let queueLowAhead = 20.0

    mutating func reconcileQueueLow() {
        guard !goal.isAtRest, let current, settings.leader == nil else { return isQueueLow = false }
        // A report before a pause holds after it.
        guard case .play = goal else { return }
        guard let remaining = secondsLeftOnce, remaining <= Self.queueLowAhead, !stopsAfterCurrent,
            successor(of: current) == nil
        else { return isQueueLow = false }
        guard !isQueueLow else { return }
        isQueueLow = true
        reportQueueLow(.ending, remaining: remaining)
    }

    mutating func reportQueueLow(_ reason: QueueLow.Reason, remaining: Double?) {
        guard settings.leader == nil else { return }
        emit(.queueLow(QueueLow(reason: reason, itemID: queue.currentID, remaining: remaining.map { max(0, $0) })))
    }

    /// nil while unknown, and while rounds of a loop follow.
    var secondsLeftOnce: Double? {
        guard let current, current.failure == nil, scan == nil else { return nil }
        return current.writtenEnd != nil || current.item.loops == 0 ? secondsLeft : nil
    }
}
