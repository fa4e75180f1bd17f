// SPDX-License-Identifier: Apache-2.0

internal import Kernel

/// Commands. Each one changes the goal or fails; `reconcile` then requests the actions.
extension PlayerCore {
    mutating func perform(_ command: PlayerCommand, _ token: CommandToken) {
        var inserted: Range<UInt64>?
        // A refused transport command leaves the timed start. The timers have already dropped the one that a start replaces.
        let before: PlayerCore? = command.endsTimedStart && timedStart != nil && !command.isTimedStart ? self : nil
        if command.endsTimedStart { dropTimedStart(isReplaced: command.isTimedStart) }
        do {
            switch command {
            case .play(let target, let position): try play(target, at: position)
            case .start(let target, let position, let time): try startLater(target, at: position, time)
            case .cancelStart: cancelStart()
            case .prime: try prime()
            case .sleep(let plan): sleep(plan)
            case .rise(let seconds): rise(over: seconds)
            case .pause: pause(.user)
            case .pauseWithLeader: pause(.leader)
            case .toggle: try goal.wantsSound && !isHeldBack ? pause(.user) : play(.current, at: nil)
            case .stop(let drain): stop(drain: drain)
            case .next: try skip(to: queue.next(order, using: &random), .next)
            case .previous: try previous()
            case .seek(let target): try seek(to: target)
            case .scan(let rate): try scan(at: rate)
            case .endScan: endScan()
            case .interruption(let notice): interruptionReported(notice)
            case .applyRules(let rules): apply(rules)
            case .borrowOutput(let device): borrow(device)
            case .shift(let seconds): shift(by: seconds)
            case .adapt(let playback): leaderPlayback = playback
            case .apply, .edit, .selectOutput, .changeEffects, .note:
                let prepared = try prepare(command)
                actions += prepared.saves.map { .save($0) }
                commit(prepared)
                inserted = prepared.inserted
            }
            pending.add(command, token, inserted: inserted, now)
        } catch {
            if let before { self = before }
            if case .next = command, error.code == .noSuchContent {
                reportQueueLow(.next, remaining: secondsLeftOnce)
            }
            if case .start(_, _, let time) = command {
                emit(.startEnded(at: time))
                reportFailedStart(error)
            }
            if error.code == .outputUnavailable { actions.append(.output(.connect)) }
            actions.append(.reply(token, .failed(error)))
        }
    }

    mutating func answerSettled() {
        guard !pending.isEmpty else { return }
        actions += pending.answer(
            isSettled: isSettled, isInTempo: isInTempo, decoded: pending.awaitDecoding ? decodedSeconds : 0,
            output.devices, failure: goal.failure, now)
    }

    /// The status has reached the goal.
    private var isSettled: Bool {
        switch goal {
        case .play: status == .interrupted || (status == .playing && !isHeldBack)
        case .hold: status != .playing
        case .pause: status == .paused
        case .stop: false
        case .idle, .rest: true
        }
    }

    // MARK: Transport

    mutating func play(
        _ target: PlayTarget, at position: Double?, needsOutput: Bool = true
    ) throws(PlaybackError) {
        let wanted = try item(for: target)
        try checkRules()
        if needsOutput { try checkOutput() }
        lastError = nil
        let isLoaded = current?.item.id == wanted.id && !goal.isAtRest && current?.failure == nil
        if isLoaded, target == .current {
            if position != nil { try refuseUnlessSeekable() }
            undoStop()
            endScan()
            goal = .play
            if let position { beginSeek(to: .seconds(position)) }
        } else {
            scan = nil
            forgetFailures()
            makeCurrent(wanted, at: position ?? positionOfUnopened(wanted))
            goal = .play
        }
        overrideInterruption()
    }

    func item(for target: PlayTarget) throws(PlaybackError) -> QueueItem {
        switch target {
        case .current:
            guard let item = queue.current ?? (queue.count > 0 ? queue[0] : nil) else {
                throw PlaybackError(.noSuchContent, "The queue is empty: there is nothing to play.")
            }
            return item
        case .item(let id):
            guard let item = queue.item(id) else { throw .unknownItem(id) }
            return item
        case .index(let index):
            guard (0..<queue.count).contains(index) else {
                throw PlaybackError(
                    .outOfRange, "There is no index \(index) in a queue of \(queue.count) items.", member: "index")
            }
            return queue[index]
        }
    }

    mutating func pause(_ reason: StatusReason) {
        scan?.wasPlaying = false
        endScan()
        switch goal {
        case .play, .pause: goal = .pause(reason)
        case .stop(.drain):
            undoStop()
            goal = .pause(reason)
        case .hold, .stop, .idle, .rest: return
        }
    }

    private mutating func stop(drain: Bool) {
        let atOnce: PlayerGoal.Stop = scan == nil ? .atOnce : .unload
        scan = nil
        lastError = nil
        switch goal {
        case .rest(.stopped), .idle: return
        case .rest:
            rest(.stopped(reasonToStop), at: 0)
        case .stop(.drain) where !drain:
            goal = .stop(.unload)
        case .stop: return
        case .play, .hold, .pause:
            // The decoder is to stand at the latest target.
            if let seek, let followUp = seek.followUp { runSeek(followUp, target: seek.target) }
            goal = .stop(drain ? .drain : atOnce)
            let place = position
            if seek != nil { loaded.current?.startPosition = place }
            loaded.seek = nil
            guard drain else { return }
            endDecoding()
            if upcoming?.isFed == false { _ = loaded.dropUpcoming() }
        }
    }

    /// A follower stops only with its leader.
    var reasonToStop: StatusReason { settings.leader == nil ? .user : .leader }

    /// Cancels a stop after which the decoder cannot go on, for a command that needs the item: loads the item again at its audible position.
    mutating func undoStop() {
        guard case .stop(let stop) = goal, stop != .atOnce, let current else { return }
        let place = position
        actions += loaded.dropUpcoming()
        if current.isFed { flush() }
        reopenCurrent(at: place)
        goal = .pause(.user)
    }

    private mutating func skip(to id: ItemID?, _ course: Course) throws(PlaybackError) {
        guard let id, let item = queue.item(id) else {
            throw PlaybackError(.noSuchContent, "There is no item to go to.")
        }
        dropScan()
        forgetFailures(course: course)
        makeCurrent(item, at: nil)
        holdUnlessPlaying()
    }

    private mutating func previous() throws(PlaybackError) {
        let restartsAfter = settings.previousRestartsAfter
        let restarts = current != nil && !goal.isAtRest && restartsAfter > 0 && position > restartsAfter
        if !restarts, let id = queue.previous(order) {
            try skip(to: id, .previous(from: queue.currentID))
        } else if queue.current != nil {
            try wakeForSeeking()
            dropScan()
            beginSeek(to: .seconds(current?.item.beginTime ?? 0))
        } else {
            throw PlaybackError(.noSuchContent, "There is no item to go back to.")
        }
    }

    private mutating func seek(to target: SeekTarget) throws(PlaybackError) {
        guard queue.current != nil else { throw PlaybackError(.noSuchContent, "There is no current item to seek in.") }
        try refuseUnlessSeekable()
        try wakeForSeeking()
        dropScan()
        switch target {
        case .position(let seconds): beginSeek(to: .seconds(seconds))
        case .offset(let seconds): beginSeek(to: .seconds(max(0, position + seconds)))
        case .progress(let progress): beginSeek(to: .progress(progress))
        }
    }

    func refuseUnlessSeekable() throws(PlaybackError) {
        guard current?.media?.isSeekable == false else { return }
        throw PlaybackError(.notSeekable, "This stream is not seekable.", itemID: current?.item.id)
    }

    /// Loads the current item again, silently, if it is not loaded.
    private mutating func wakeForSeeking() throws(PlaybackError) {
        undoStop()
        guard goal.isAtRest || current == nil, let item = queue.current else { return }
        if let error = goal.failure {
            throw PlaybackError(.invalidState, "The item cannot be played: \(error.message)", itemID: item.id)
        }
        makeCurrent(item, at: nil)
        goal = .pause(.user)
    }

    private mutating func scan(at rate: Double) throws(PlaybackError) {
        guard current != nil, !goal.isAtRest else {
            throw PlaybackError(.invalidState, "Nothing is loaded to rewind or fast-forward.")
        }
        try checkRules()
        if current?.media?.isSeekable == false {
            throw PlaybackError(.notSeekable, "This stream cannot be scanned.", itemID: current?.item.id)
        }
        try checkOutput()
        undoStop()
        beginScan(rate: rate)
        overrideInterruption()
    }

    /// Makes another item the current one and loads it, unless it was loaded ahead. The goal stays.
    mutating func makeCurrent(_ item: QueueItem, at position: Double?) {
        let left = current
        if let left, left.isFed { flush(fade: skipFade) }
        if let left, !goal.isAtRest { complete(left, .user) }
        if let ready = upcoming, ready.item.id == item.id, position == nil, case .primed = ready.stage {
            enter(ready)
        } else {
            actions += loaded.dropUpcoming()
            enter(load(item, at: position))
        }
        if goal.isAtRest { goal = .hold }
    }
}
