// SPDX-License-Identifier: Apache-2.0

/// The consequences of queue edits for the playing item.
extension PlayerCore {
    func check(expected: QueueRevision?, play: Bool) throws(PlaybackError) {
        if let expected, expected != queue.revision {
            throw PlaybackError(.revisionMismatch, "The queue is at revision \(queue.revision), not at \(expected).")
        }
        guard play else { return }
        try checkRules()
        try checkOutput()
    }

    /// Applies a committed edit to the playing item.
    mutating func follow(_ edit: QueueEdit, _ change: QueueChange, play: Bool) {
        let target = firstNew(edit, change)
        let restored = takeRemoved(edit)
        if play, let target {
            lastError = nil
            forgetFailures()
            scan = nil
            makeCurrent(target, at: nil)
            goal = .play
            overrideInterruption()
        } else if let lost = current, queue.item(lost.item.id) == nil {
            leaveRemoved(lost, for: restored?.item.id ?? replacement(edit), at: restored?.position)
        } else if queue.currentID == nil, queue.count > 0, goalIsIdle {
            makeCurrent(target ?? restored?.item ?? queue[0], at: restored?.position)
            let plays = restored == nil && settings.autoPlay && availability == .available && rules.refusal == nil
            goal = plays ? .play : .hold
        } else if case .updated(_, let new) = change, new.id == current?.item.id {
            emit(.item(currentItem))
        }
        followLoops()
        if queue.count == 0 {
            if goal.isAtRest { loaded.enter(nil) }
            if case .rest = goal, !hasConsumedTheLast { goal = .idle }
        }
    }

    /// Remembers a removed current item and its position. An undo of the removal returns both.
    private mutating func takeRemoved(_ edit: QueueEdit) -> (item: QueueItem, position: Double)? {
        let old = removed
        removed = nil
        if let current, queue.item(current.item.id) == nil { removed = (current.item.id, position) }
        guard case .undo = edit, let old else { return nil }
        return queue.item(old.id).map { ($0, old.position) }
    }

    /// Decodes again what was decoded for other `loops` or another `beginTime`. The repetitions count from here on, and an item
    /// that waits at its start begins at the new one.
    private mutating func followLoops() {
        let isStale = loaded.ahead.contains { track in
            queue.item(track.item.id).map { ($0.loops, $0.beginTime) != (track.item.loops, track.item.beginTime) }
                ?? false
        }
        if isStale { dropUpcoming() }
        guard let current, let new = queue.item(current.item.id), new !== current.item else { return }
        let place = position
        let isAtStart = current.listened == 0 && place == current.item.beginTime
        loaded.current?.item = new
        guard
            current.item.loops != new.loops
                || current.item.beginTime != new.beginTime && (new.loops != 0 || isAtStart),
            goal.keepsItem, current.failure == nil, current.media?.isSeekable != false
        else { return }
        beginSeek(to: .seconds(isAtStart ? new.beginTime : place), scan: scan?.rate)
    }

    /// A pause or stop applied to the previous item only.
    mutating func holdUnlessPlaying() {
        if !goal.wantsSound { goal = .hold }
    }

    /// The last item was consumed when it completed: the player stays as it is.
    private var hasConsumedTheLast: Bool {
        if case .rest(.completed) = goal { settings.consume } else { false }
    }

    private var goalIsIdle: Bool {
        switch goal {
        case .idle: true
        case .rest: current == nil
        case .hold, .play, .pause, .stop: false
        }
    }

    /// The item to play: the first one of the edit, or the one that `startIndex` names.
    private func firstNew(_ edit: QueueEdit, _ change: QueueChange) -> QueueItem? {
        switch (edit, change) {
        case (.replace(_, let startIndex), .replaced(_, let new)): new.isEmpty ? nil : new[startIndex ?? 0]
        case (_, .inserted(let items, _)): items.first
        default: nil
        }
    }

    private mutating func replacement(_ edit: QueueEdit) -> ItemID? {
        if case .replace(_, let startIndex) = edit { return queue.count > 0 ? queue[startIndex ?? 0].id : nil }
        return queue.successor(Queue.Order(repeats: .off, shuffle: settings.shuffle), using: &random)
    }

    /// The current item left the queue. Its successor becomes current, and plays if the removed item played.
    private mutating func leaveRemoved(_ lost: LoadedTrack, for next: ItemID?, at position: Double?) {
        if lost.isFed { flush(fade: skipFade) }
        if !goal.isAtRest { complete(lost, .removed) }
        actions += loaded.dropUpcoming()
        dropScan()
        loaded.enter(nil)
        if hasConsumedTheLast {
            emit(.item(nil))
            savePosition()
        } else if let next, let item = queue.item(next) {
            enter(load(item, at: position))
            holdUnlessPlaying()
        } else {
            goal = queue.count == 0 ? .idle : .rest(.stopped(.queueChanged))
            emit(.item(nil))
            jumped()
            savePosition()
        }
    }
}
