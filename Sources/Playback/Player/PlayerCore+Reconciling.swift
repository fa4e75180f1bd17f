// SPDX-License-Identifier: Apache-2.0

internal import Audio
internal import Kernel

/// Asks for whatever still lies between what is wanted and what was reported. Runs after every input; asking for
/// nothing when all is well is what makes it safe to run again.
extension PlayerCore {
    /// A stream that nobody uses is given back to the sink after this many seconds.
    static let streamGrace = 3.0
    /// An item from a server is opened this long before it is heard, so that a slow one leaves no gap.
    static let openAhead = 10.0
    /// Loaded items behind the current one: more than one only where they fail.
    private static let mostAhead = 16
    /// A station that was found to be one by then is joined this long before it is heard.
    static let joinAhead = 3.0

    mutating func reconcile() {
        reconcileRepeating()
        reconcileGathering()
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
        // Before it starts: the first frames have the gain of a fade that is due.
        if goal.wantsSound, lastStatus != .playing { checkSleep() }
        reconcileTransport()
        reconcileTimerGain()
        reconcileBorrowing()
    }

    /// An item that failed before a frame of it was heard is left at once; not by a stop, which ends as one.
    private mutating func reconcileFailure() {
        if case .stop = goal { return }
        var attempts = 0
        while !goal.isAtRest, let error = current?.failure, current?.isFed == false, attempts < Self.mostAhead {
            attempts += 1
            currentFailed(error)
        }
    }

    /// Without sound to come, being there is all there is to a seek: also while there is no stream to be heard through.
    private mutating func reconcileSeek() {
        guard let seek, seek.followUp == nil, !goal.wantsSound, current?.isOpening == false else { return }
        loaded.endSeek()
    }

    /// Loads what follows once the current item is decoded to its end, or a while before when it comes from a server, and
    /// drops what no longer follows.
    private mutating func reconcileUpcoming() {
        guard !goal.isAtRest, let current, seek == nil, case .play = goal, isNearItsEnd,
            !stopsAfterCurrent
        else {
            if upcoming != nil, goal.isAtRest || current == nil || stopsAfterCurrent { dropUpcoming() }
            return
        }
        var wanted = successor(of: current)
        if current.failure != nil, upcoming?.isFed != true,
            wanted == current.item.id || !goesOn(afterFailures: failuresInARow + 1)
        {
            wanted = nil
        }
        guard let wanted = itemToLoad(wanted), let item = queue.item(wanted),
            current.writtenEnd != nil || item.isRemote
        else { return }
        loaded.prepare(load(item, at: nil))
    }

    /// `next`, or the one behind those that are loaded already and have failed. Drops them where others follow by now.
    private mutating func itemToLoad(_ next: ItemID?) -> ItemID? {
        var (queue, random, wanted) = (queue, random, next)
        var failures = failuresInARow + (current?.failure == nil ? 0 : 1)
        for track in loaded.ahead {
            guard track.item.id == wanted, !isStaleStation(track) else {
                dropUpcoming()
                return upcoming == nil ? next : nil
            }
            failures += 1
            guard track.failure != nil, !track.isFed, goesOn(afterFailures: failures),
                loaded.ahead.count < Self.mostAhead
            else { return nil }
            queue.setCurrent(wanted)
            wanted = queue.successor(order, using: &random)
            if wanted == track.item.id || settings.consume && wanted == current?.item.id { return nil }
        }
        return wanted
    }

    /// What a station has sent while it waited for its turn is old: it is joined once more when its turn has all but come.
    private func isStaleStation(_ track: LoadedTrack) -> Bool {
        guard track.isLive, case .primed = track.stage, let since = track.primedAt, let left = secondsLeft else {
            return false
        }
        return left <= Self.joinAhead && now.seconds(since: since) > Self.joinAhead + 0.5
    }

    mutating func successor(of track: LoadedTrack) -> ItemID? {
        let wanted = queue.successor(order, using: &random)
        // The last one that is left is consumed as well.
        return settings.consume && settings.repeats == .all && wanted == track.item.id ? nil : wanted
    }

    /// Of the current item, until its end is heard.
    var secondsLeft: Double? {
        // It has no end.
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

    /// There is none, and nothing speaks against one.
    var wantsStream: Bool {
        guard case .closed = stream.state, let current else { return false }
        return (goal.wantsSound || isMakingReady) && current.failure == nil && !isCutOff && !isHeldBack
    }

    mutating func reconcileStream() {
        guard wantsStream, let current else { return }
        if let outage, now < outage.retryTime { return }
        // While the media opens: most of it is stereo, and the stream is there when the first frame is.
        let format = current.media?.format ?? AudioFormat(sampleRate: 44_100, layout: .stereo)
        actions += stream.open(newGeneration(), format, layout: layout(for: format), now)
    }

    private mutating func reconcileFeeding() {
        guard let format = stream.format, !goal.isAtRest else { return }
        if case .stop = goal { return }
        if let current, case .primed = current.stage, gathering == nil, fits(current) {
            let tempo = tempo(of: current)
            loaded.updateCurrent { ($0.stage, $0.tempo) = (.feeding, tempo) }
            var feed = Feed(tempo: tempo, silence: silenceBefore(current, format))
            feed.splice = current.splice.map { RingSplicing.Start(index: $0.index, pace: $0.rate / tempo.rate) }
            actions.append(.feed(current.generation, feed))
            stream.fed(now)
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
        if routing.leaving == generation, leaveStream(transport) { return }
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
            case .silent where gathering != nil: return
            case .dry where gathering != nil: silence()
            case .silent:
                actions += stream.start(fade: lastStatus == .paused ? settings.fades.pause : 0, now)
            case .pausing(_, fade: let fade) where fade > 0:
                // Taken back while it fades: it rises again from the gain that it has reached.
                actions += stream.start(fade: settings.fades.pause, now)
            case .running, .dry:
                // A stream that drains cannot be shifted to its time.
                if isLastInStream, timedStart == nil { actions += stream.drain(now) }
            case .draining:
                if !isLastInStream { actions += stream.start(now) }
            case .starting, .pausing: return
            }
        case .hold, .pause, .idle, .rest: silence()
        case .stop(let drains, _):
            let drain = drains && !isHeldBack
            switch transport {
            case .silent: stopped()
            case .draining where drain: return
            case .running where drain: actions += stream.drain(now)
            case .starting, .running, .dry, .pausing, .draining: silence()
            }
        }
    }

    mutating func silence() { actions += stream.pause(fade: secondsToSilence, now) }

    /// Of the user's own pauses and stops. An interruption or a lost device waits for no fade.
    private var secondsToSilence: Double {
        guard !isHeldBack, routing.leaving == nil else { return 0 }
        return switch goal {
        case .pause(.user), .pause(.leader): settings.fades.pause
        case .stop: settings.fades.stop
        case .pause, .play, .hold, .idle, .rest: 0
        }
    }

    /// All that will ever be written before the sink runs dry is written.
    private var isAtItsEnd: Bool {
        guard let current, current.isWritten, seek == nil else { return false }
        return upcoming == nil
    }

    /// The next item, if any, needs another stream; or all that follow have failed.
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
        // The current item could not be written again without a gap: the change counts from the border on (`reachedEnd`).
        // Of one that is mixed over it, the end is nowhere else.
        if track.isFed, track.crossfade == nil, case .play = goal, let current, current.failure == nil,
            current.media?.isSeekable == false
        {
            return
        }
        actions += loaded.dropUpcoming()
        guard track.isFed else { return }
        // Its frames follow the current item's in the ring: take both out and let the current one write again.
        guard let current, !goal.isAtRest, current.failure == nil else { return flush() }
        let place = position
        runSeek(DecodeStart(place: .seconds(place)), target: place)
    }

    /// Of what cannot be searched, or is no longer loaded: it is asked for once more.
    mutating func reopenCurrent(at place: Double) {
        guard let left = current else { return }
        actions.append(.unload(left.generation))
        var track = load(left.item, at: place)
        // The old one is shown until it reports anew.
        track.media = left.media
        track.listened = left.listened
        loaded.updateCurrent { $0 = track }
    }

    /// Takes everything that was not heard out of ring and sink. `fade`: seconds in which what sounds may fade out.
    mutating func flush(fade: Double = 0) {
        actions += stream.flush(fade: isHeldBack ? 0 : fade, now)
    }

    /// Begins a new run of the current item; what it had written must have been flushed or lost, or sounds until `splice`.
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
        loaded.updateCurrent { $0 = track }
        actions.append(.reposition(track.generation, track.run, decodeStart(place, scan: rate, of: track)))
    }
}
