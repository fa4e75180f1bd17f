// SPDX-License-Identifier: Apache-2.0

internal import Audio
internal import Kernel

/// The status that clients see, derived from goal, decoder and stream.
extension PlayerCore {
    var status: PlayerStatus {
        switch goal {
        case .idle: .idle
        case .rest(.stopped): .stopped
        case .rest(.completed): .completed
        case .rest(.failed): .failed
        case .stop: .stopping
        case .play: statusTowardsPlaying
        case .hold: statusOfSilence(current?.isOpening == true ? .loading : .ready)
        case .pause: statusOfSilence(.paused)
        }
    }

    /// The reason of the status; nil if the status needs none.
    var reason: StatusReason? {
        switch goal {
        case .rest(.stopped(let reason)), .pause(let reason): reason
        case .rest(.completed): .endOfQueue
        case .rest(.failed(let error)): [.network, .bouncing].contains(error.code) ? .network : .mediaError
        case .play where status == .interrupted && isHeldBack:
            interruptions.isActive ? .interruption : .routeLost
        case .play where status == .interrupted: reasonOfOutput
        case .play where status == .buffering:
            if prebuffering != nil {
                .network
            } else if stream.stalledSince != nil {
                .outputUnavailable
            } else {
                // The data has arrived; sound follows in a moment.
                stream.isStarting ? lastReason : .underrun
            }
        // The pause lasts until sound is heard again.
        case .play where status == .paused: lastReason
        case .play where status == .playing && rules.isSilenced: .silentSwitch
        case .play, .idle, .hold, .stop: nil
        }
    }

    /// The reason while the output cannot play.
    var reasonOfOutput: StatusReason { output.isSuspended && outage == nil ? .outputSuspended : .outputUnavailable }

    private var statusTowardsPlaying: PlayerStatus {
        guard let current else { return .loading }
        if isHeldBack { return stream.isSounding && stream.clock.isAdvancing && isHeard ? .playing : .interrupted }
        if routing.replacing != nil { return stream.clock.isAdvancing && isHeard ? .playing : .loading }
        if outage != nil || isOutputUnavailable { return .interrupted }
        if output.isSuspended, stream.format != nil { return .interrupted }
        if seek != nil { return .seeking }
        if current.isOpening, current.splice == nil { return .loading }
        if prebuffering != nil { return .buffering }
        switch stream.transport {
        // A cancelled pause: the sink still fades out.
        case .pausing where !stream.clock.isAdvancing: return statusBeforeSound
        case .running, .draining, .pausing:
            guard isHeard else { return .loading }
            return stream.stalledSince == nil ? .playing : .buffering
        case .dry: return current.listened > 0 ? .buffering : .loading
        // A pause that was cancelled during its fade-out.
        case .starting where stream.clock.isAdvancing && isHeard: return .playing
        case .silent, .starting, nil: return statusBeforeSound
        }
    }

    /// `paused` and `buffering` last until sound is heard. `interrupted` does not: no pause may be reported after it.
    private var statusBeforeSound: PlayerStatus {
        guard isHeard, stream.timeline.heard > 0, current?.listened ?? 0 > 0 else { return .loading }
        if stream.stalledSince != nil { return .buffering }
        switch lastStatus {
        case .paused, .buffering: return lastStatus
        default: return .loading
        }
    }

    private func statusOfSilence(_ silent: PlayerStatus) -> PlayerStatus {
        // A stalled sink plays no fade-out.
        if stream.isSounding, stream.clock.isAdvancing, isHeard, seek == nil { return .playing }
        return seek == nil ? silent : .seeking
    }

    /// The audible segment, or the last one, is of the current item since its last seek.
    var isHeard: Bool {
        guard let current, current.isFed, let place = stream.timeline.place else { return false }
        return current.holds(place.segment)
    }

    var isOutputUnavailable: Bool {
        if case .unavailable = availability { true } else { false }
    }

    /// The audible position in the current item, in seconds.
    var position: Double {
        guard let current else { return 0 }
        let raw: Double =
            if goal.isAtRest {
                current.startPosition
            } else if let seek {
                seek.target
            } else if let place = stream.timeline.place, current.holds(place.segment), stream.format != nil {
                place.position
            } else {
                current.startPosition
            }
        return min(max(0, raw), current.duration ?? .infinity)
    }

    var positionClock: PositionClock { positionClock(publishedAt: now) }

    /// Readers continue the reading before until `time`.
    private func positionClock(publishedAt time: MonotonicTime) -> PositionClock {
        var reading = PositionClock()
        reading.position = position
        reading.rate = status == .playing || isDraining ? stream.timeline.place?.segment.pace.rate ?? 1 : 0
        reading.listenedTime = current?.listened ?? 0
        reading.sampledAt = stream.format == nil ? now : stream.clock.sampledAt
        reading.duration = current?.duration
        reading.discontinuity = discontinuity
        reading.latency = stream.clock.latency
        // Until the next jump the position only rises. A pause is exact.
        if reading.discontinuity == lastClock.discontinuity, stream.timeline.place?.segment.pace.isPlayed != false,
            goal.wantsSound || reading.rate != 0
        {
            reading.reached = lastClock.position(at: time)
        }
        return reading
    }

    /// A draining stop plays the written frames.
    private var isDraining: Bool {
        guard case .stop(.drain) = goal, case .draining = stream.transport else { return false }
        return stream.clock.isAdvancing && isHeard && stream.stalledSince == nil
    }

    mutating func publishStatus() {
        let (status, reason, wantsSound) = (self.status, self.reason, wantsSoundNow)
        let isNew = status != lastStatus || wantsSound != lastWantsSound
        // Keep the current reason until another one is known. `playing` needs none.
        guard isNew || (reason != lastReason && (reason != nil || status == .playing)) else { return }
        if status == .playing {
            forgetFailures()
            beginRise()
        }
        let previous = lastStatus
        lastStatus = status
        lastReason = reason
        lastWantsSound = wantsSound
        // A jump may lead into a sleep fade. The fade ends with a pause and continues with the next sound.
        checkSleep()
        emit(
            .status(
                status, previous: previous, reason: reason, playWhenReady: wantsSound,
                itemID: current?.item.id ?? queue.currentID, position: positionClock.position(at: now),
                error: goal.failure))
        if status == .playing || previous == .playing || previous == .stopping { reportTime() }
        if status == .paused || status == .stopped || status == .completed { savePosition() }
    }

    /// The state to publish at `time` (nil: now), at the version that the events of this input carry.
    mutating func snapshot(publishedAt time: MonotonicTime? = nil) -> PlayerSnapshot {
        var snapshot = PlayerSnapshot()
        snapshot.version = version
        snapshot.status = lastStatus
        snapshot.reason = lastReason
        snapshot.playWhenReady = wantsSoundNow
        snapshot.item = currentItem
        snapshot.clock = positionClock(publishedAt: time ?? now)
        lastClock = snapshot.clock
        snapshot.tempo = current.map(tempo) ?? settings.tempo(isSpeech: settings.playsSpeech)
        snapshot.crossfade = crossfade
        snapshot.overlap = overlapAhead
        snapshot.fade = timerRamp
        snapshot.isLast = isQueueLow || stopsAfterCurrent
        snapshot.settings = settings
        snapshot.queueLength = queue.count
        snapshot.queueRevision = queue.revision
        snapshot.nextItemNumber = queue.nextItemNumber
        snapshot.output = output
        snapshot.error = lastError
        snapshot.canUndo = queue.canUndo
        snapshot.canRedo = queue.canRedo
        snapshot.statistics = statistics
        snapshot.loaded = loadedTime
        snapshot.saveFailure = saving.failure
        return snapshot
    }

    /// The current item as clients see it, even if it is not loaded.
    var currentItem: CurrentItem? {
        mutating get {
            guard let item = current?.item ?? queue.current, let index = currentIndex(of: item.id) else { return nil }
            // The queue item may have been edited since it was loaded.
            var shown = CurrentItem(item: queue.item(item.id) ?? item, index: index)
            shown.media = current?.media
            shown.duration = current?.duration
            shown.error = current?.failure
            return shown
        }
    }

    private mutating func currentIndex(of id: ItemID) -> Int? {
        if let known = indexOfCurrent, known.revision == queue.revision, known.id == id { return known.index }
        guard let index = queue.index(of: id) else { return nil }
        indexOfCurrent = (queue.revision, id, index)
        return index
    }
}
