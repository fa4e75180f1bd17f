// SPDX-License-Identifier: Apache-2.0

/// A-B repeat: repeats a part of the current item until it is cancelled or another item becomes current.
extension PlayerCore {
    /// The part of this item that is repeated.
    func part(of item: QueueItem?) -> ABLoop? { repeated == item?.id ? settings.abLoop : nil }

    /// The current item or a part of it repeats without end.
    var isEndless: Bool { current.map { $0.item.loops < 0 || part(of: $0.item) != nil } ?? false }

    /// The decode start at a place in the item. A scan has no lead before it.
    func decodeStart(_ place: DecodeStart.Place, scan rate: Double? = nil, of track: LoadedTrack) -> DecodeStart {
        let item = track.item
        var start = DecodeStart(
            place: place, scan: rate, loops: item.loops, beginTime: item.beginTime, part: part(of: item))
        guard rate == nil else { return start }
        let tempo = tempo(of: track)
        start.lead = tempo.lead
        if track.splice != nil { start.lead += RingSplicing.reach * tempo.rate }
        return start
    }

    func check(_ abLoop: ABLoop) throws(PlaybackError) {
        guard queue.currentID != nil else {
            throw PlaybackError(.invalidState, "There is no current item of which a part could be repeated.")
        }
        try refuseUnlessSeekable()
        try abLoop.check(duration: current?.media?.durationIsExact == true ? current?.duration : nil)
    }

    /// The A-B loop of the current item has changed: decodes again what was decoded for the old one.
    mutating func repeatPart() {
        repeated = settings.abLoop == nil ? nil : queue.currentID
        guard let current, goal.keepsItem, current.failure == nil, current.media?.isSeekable != false else { return }
        if let scan { beginSeek(to: .seconds(position), scan: scan.rate) } else { decodeAgain() }
    }

    /// Runs after every input. Another item has no A-B loop.
    mutating func reconcileRepeating() {
        guard settings.abLoop != nil, repeated != current?.item.id ?? queue.currentID else { return }
        settings.abLoop = nil
        repeated = nil
        actions.append(.save(.settings(settings)))
        emit(.settings(settings))
    }
}

/// Reports that nothing follows the current item, early enough to add an item.
extension PlayerCore {
    /// Seconds before the end. A web server needs `openAhead` of them; the rest is for the client.
    static let queueLowAhead = 20.0

    mutating func reconcileQueueLow() {
        guard !goal.isAtRest, let current, settings.leader == nil else { return isQueueLow = false }
        // A report from before a pause is not repeated after it.
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

    /// nil while unknown, and while repetitions follow.
    var secondsLeftOnce: Double? {
        guard let current, current.failure == nil, scan == nil else { return nil }
        return current.writtenEnd != nil || current.item.loops == 0 ? secondsLeft : nil
    }
}
