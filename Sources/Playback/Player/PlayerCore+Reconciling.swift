// SPDX-License-Identifier: Apache-2.0

internal import Audio
internal import Kernel

/// Requests the steps that are missing between goal and reports. Runs after every input; safe to run again.
extension PlayerCore {
    /// An unused stream is closed after this many seconds.
    static let streamGrace = 3.0
    /// Remote items open this many seconds before they are heard, so that a slow server leaves no gap.
    static let openAhead = 10.0
    /// Limit of loaded items after the current one. More than one is loaded only if they fail.
    private static let mostAhead = 16
    /// A station is reconnected this many seconds before it is heard.
    static let joinAhead = 3.0

    mutating func reconcile() {
        reconcileRepeating()
        reconcilePrebuffering()
        reconcileFailure()
        reconcileSpeech()
        reconcileTempo()
        reconcileSeek()
        reconcileLive()
        reconcileUpcoming()
        reconcileCrossfade()
        reconcileLayout()
        reconcileQueueLow()
        reconcileStream()
        reconcileDecay()
        reconcileFeeding()
        // Before the start, so that the first frames have the gain of a fade that is due.
        if goal.wantsSound, lastStatus != .playing { checkSleep() }
        reconcileTransport()
        reconcileTimerGain()
        reconcileBorrowing()
    }

    /// Leaves an item that failed before any of its frames was heard, unless the player is stopping.
    private mutating func reconcileFailure() {
        var attempts = 0
        while goal.keepsItem, let error = current?.failure, current?.isFed == false, attempts < Self.mostAhead {
            attempts += 1
            currentFailed(error)
        }
    }

    /// Without sound, a seek ends when its target is decoded, even without a stream.
    private mutating func reconcileSeek() {
        guard let seek, seek.followUp == nil, !goal.wantsSound, current?.isOpening == false else { return }
        loaded.seek = nil
    }

    /// Loads the next item once the current one is decoded, remote items earlier. Drops it if something else follows.
    private mutating func reconcileUpcoming() {
        guard !goal.isAtRest, let current, seek == nil, case .play = goal, isNearItsEnd,
            !stopsAfterCurrent
        else {
            if upcoming != nil, goal.isAtRest || current == nil || stopsAfterCurrent { dropUpcoming() }
            return
        }
        var wanted = successor(of: current)
        if current.failure != nil, upcoming?.isFed != true,
            wanted == current.item.id || !continues(afterFailures: failuresInARow + 1)
        {
            wanted = nil
        }
        guard let wanted = itemToLoad(wanted), let item = queue.item(wanted),
            current.writtenEnd != nil || item.isRemote
        else { return }
        loaded.prepare(load(item, at: nil))
    }

    /// `next`, or the item after the loaded items that have failed. Drops these if others follow now.
    private mutating func itemToLoad(_ next: ItemID?) -> ItemID? {
        var (queue, random, wanted) = (queue, random, next)
        var failures = failuresInARow + (current?.failure == nil ? 0 : 1)
        for track in loaded.ahead {
            guard track.item.id == wanted, !isStaleStation(track) else {
                dropUpcoming()
                return upcoming == nil ? next : nil
            }
            failures += 1
            guard track.failure != nil, !track.isFed, continues(afterFailures: failures),
                loaded.ahead.count < Self.mostAhead
            else { return nil }
            queue.setCurrent(wanted)
            wanted = queue.successor(order, using: &random)
            if wanted == track.item.id || settings.consume && wanted == current?.item.id { return nil }
        }
        return wanted
    }

    /// A station's data grows stale while it waits. It is reconnected shortly before it is heard.
    private func isStaleStation(_ track: LoadedTrack) -> Bool {
        guard track.isLive, case .primed = track.stage, let since = track.primedAt, let left = secondsLeft else {
            return false
        }
        return left <= Self.joinAhead && now.seconds(since: since) > Self.joinAhead + 0.5
    }

    mutating func successor(of track: LoadedTrack) -> ItemID? {
        let wanted = queue.successor(order, using: &random)
        // With `consume`, the last item is consumed as well.
        return settings.consume && settings.repeats == .all && wanted == track.item.id ? nil : wanted
    }

    /// Seconds until the end of the current item is heard.
    var secondsLeft: Double? {
        // An A-B loop has no end.
        guard part(of: current?.item) == nil else { return nil }
        return current?.writtenEnd.flatMap { stream.seconds(to: $0) } ?? secondsToEnd
    }

    var isNearItsEnd: Bool {
        guard let current else { return false }
        if current.writtenEnd != nil { return true }
        guard scan == nil, let left = secondsToEnd, current.item.loops == 0, part(of: current.item) == nil else {
            return false
        }
        return left <= Self.openAhead + current.held
    }

    /// No stream is open, and one is needed.
    var wantsStream: Bool {
        guard case .closed = stream.state, let current else { return false }
        return (goal.wantsSound || isMakingReady) && current.failure == nil && !isOutputUnavailable && !isHeldBack
    }

    mutating func reconcileStream() {
        guard wantsStream, let current else { return }
        if let outage, now < outage.retryTime { return }
        // While the media opens, stereo is assumed: the stream is then often open before the first frame is decoded.
        let format = current.media?.format ?? AudioFormat(sampleRate: 44_100, layout: .stereo)
        actions += stream.open(newGeneration(), format, layout: layout(for: format), now)
    }

    private mutating func reconcileFeeding() {
        guard let format = stream.format, goal.keepsItem else { return }
        if var current, case .primed = current.stage, prebuffering == nil, fits(current) {
            let tempo = tempo(of: current)
            (current.stage, current.tempo) = (.feeding, tempo)
            loaded.current = current
            var feed = Feed(tempo: tempo, silence: silenceBefore(current, format))
            feed.splice = current.splice.map { RingSplicing.Start(index: $0.index, pace: $0.rate / tempo.rate) }
            actions.append(.feed(current.generation, feed))
            stream.renewWait(now)
        }
        if let upcoming, case .primed = upcoming.stage, let border, seek == nil, fits(upcoming),
            format.seconds(border - stream.timeline.heard) <= feedAhead
        {
            let overlap = overlap(under: upcoming, format)
            guard overlap != nil || current?.isWritten == true else { return }
            let (tempo, mixed) = (tempo(of: upcoming), overlap.map { _ in crossfade })
            loaded.update(upcoming.generation) { ($0.stage, $0.tempo, $0.crossfade) = (.feeding, tempo, mixed) }
            actions.append(.feed(upcoming.generation, Feed(tempo: tempo, over: overlap)))
        }
    }

    private mutating func reconcileTransport() {
        guard case .open(let generation, _, let transport) = stream.state else {
            if case .stop = goal { stopped() }
            return
        }
        // Moved back, the stream would sound on the default device until the move is complete.
        if isFollowerWithoutDevice { replaceStream(generation) }
        if routing.replacing == generation, continueReplacing(transport) { return }
        switch goal {
        case .play:
            if isHeldBack, !(isAtItsEnd && isCurrentOver) { return silence() }
            guard let current, current.isFed else { return }
            if isAtItsEnd, isCurrentOver, hasDecayed || isHeldBack {
                reachedEndOfQueue()
                if !goal.wantsSound { silence() }
                return
            }
            switch transport {
            case .silent where prebuffering != nil: return
            case .dry where prebuffering != nil: silence()
            case .silent:
                let beginsItem = position == 0 && !current.isLive
                let fade = !beginsItem && lastStatus == .paused ? fades.pause : 0
                actions += stream.start(fade: fade, beginsItem: beginsItem, now)
            case .pausing(_, fade: let fade) where fade > 0:
                // The pause was cancelled while it fades out: the gain rises from its present value.
                actions += stream.start(fade: fades.pause, now)
            case .running, .dry:
                // A draining stream cannot be shifted to its start time.
                if isLastInStream, timedStart == nil { actions += stream.drain(now) }
            case .draining:
                if !isLastInStream { actions += stream.start(now) }
            case .starting, .pausing: return
            }
        case .hold, .pause, .idle, .rest: silence()
        case .stop(let stop):
            let drain = stop == .drain && !isHeldBack
            switch transport {
            case .silent: stopped()
            case .draining where drain: return
            case .running where drain: actions += stream.drain(now)
            case .starting, .running, .dry, .pausing, .draining: silence()
            }
        }
    }

    mutating func silence() { actions += stream.pause(fade: secondsToSilence, now) }

    /// Seconds of fade-out for the user's pauses and stops. An interruption or a lost device silences at once.
    private var secondsToSilence: Double {
        guard !isHeldBack, routing.replacing == nil else { return 0 }
        return switch goal {
        case .pause(.user), .pause(.leader): fades.pause
        case .stop: fades.stop
        case .pause, .play, .hold, .idle, .rest: 0
        }
    }

    /// All frames before the sink runs dry are written.
    private var isAtItsEnd: Bool {
        guard let current, current.isWritten, seek == nil else { return false }
        return upcoming == nil
    }

    /// No more items are written to this stream: none follows, it has another layout, or all that follow have failed.
    var isLastInStream: Bool {
        guard let upcoming else { return isAtItsEnd }
        return current?.isWritten == true && seek == nil && (!fits(upcoming) || endsQueue)
    }

    private var endsQueue: Bool {
        let ahead = loaded.ahead
        return ahead.count < Self.mostAhead && ahead.allSatisfy { $0.failure != nil && !$0.isFed }
    }

    // MARK: Loading and dropping

    mutating func load(_ item: QueueItem, at position: Double?) -> LoadedTrack {
        let start = position ?? item.beginTime
        let track = newTrack(item, at: start)
        actions.append(.load(track.generation, item, decodeStart(.seconds(start), of: track)))
        return track
    }

    mutating func dropUpcoming() {
        guard let track = upcoming else { return }
        // The current item cannot be written again without a gap. The change applies at the end of the item
        // (`reachedEnd`). If the next item is mixed over the current one, that end exists only in the mix.
        if track.isFed, track.crossfade == nil, case .play = goal, let current, current.failure == nil,
            current.media?.isSeekable == false
        {
            return
        }
        actions += loaded.dropUpcoming()
        guard track.isFed else { return }
        // Its frames follow the current item's in the ring. Both are removed, and the current item is written again.
        guard let current, !goal.isAtRest, current.failure == nil else { return flush() }
        let place = position
        runSeek(DecodeStart(place: .seconds(place)), target: place)
    }

    /// Loads the current item anew: it is not seekable, or no longer loaded.
    mutating func reopenCurrent(at place: Double) {
        guard let left = current else { return }
        actions.append(.unload(left.generation))
        var track = load(left.item, at: place)
        // Shows the known description until the item reports a new one.
        track.media = left.media
        track.listened = left.listened
        loaded.current = track
    }

    /// Drops the frames in ring and sink that were not heard. `fade`: seconds of fade-out.
    mutating func flush(fade: Double = 0) {
        actions += stream.flush(fade: isHeldBack ? 0 : fade, now)
    }

    /// Starts a new run of the current item. Older frames must be flushed or lost, or they sound until `splice`.
    mutating func repositionCurrent(
        to place: DecodeStart.Place, scan rate: Double? = nil, splice: LoadedTrack.Splice? = nil
    ) {
        guard var track = current else { return }
        if track.media?.isSeekable == false, case .seconds(let seconds) = place { return reopenCurrent(at: seconds) }
        track.run.number += 1
        if splice == nil { track.firstRun = track.run }
        track.splice = splice
        track.stage = .opening(since: now)
        track.overlapped = 0
        track.decayEnd = nil
        if case .seconds(let seconds) = place { track.startPosition = seconds }
        loaded.current = track
        actions.append(.reposition(track.generation, track.run, decodeStart(place, scan: rate, of: track)))
    }
}
