// SPDX-License-Identifier: Apache-2.0

internal import Audio
internal import Kernel

/// The end of every wait. What is overdue becomes a failure that names its cause, or a second try.
extension PlayerCore {
    static let openingLimit = 30.0
    static let streamOpeningLimit = 5.0
    static let startingLimit = 5.0
    static let pausingLimit = 1.0
    static let drainingLimit = 10.0
    static let stoppingLimit = 1.5
    /// Seconds of the media between two readings of the clock while sound advances: refreshes the published position and
    /// saves it, so that `kill -9` loses less than 1 s.
    static let clockDistance = 0.9
    /// How often while a start or a seek is about to be heard.
    static let startingPoll = 0.005

    var clockInterval: Double {
        // A scan is quicker, and saves when it ends.
        Self.clockDistance / min(4, max(1, abs(stream.timeline.place?.segment.pace.rate ?? 1)))
    }

    /// A wait for a report, and the reaction when it takes more than `limit` seconds. The reaction ends the wait.
    private struct Wait {
        let since: MonotonicTime
        let limit: Double
        let giveUp: (inout PlayerCore) -> Void
    }

    private var waitsForOthers: [Wait] {
        var waits: [Wait] = []
        for track in loaded.all {
            guard case .opening(let since) = track.stage else { continue }
            let limit = max(Self.openingLimit, track.item.oneShot?.timeout ?? 0)
            waits.append(
                Wait(since: since, limit: limit) {
                    let message = "The media did not open within \(Int(limit)) s."
                    $0.loaded.update(track.generation) {
                        $0.fail(PlaybackError(.timedOut, message, itemID: track.item.id))
                    }
                })
        }
        if let (since, limit) = gatheringLimit {
            waits.append(Wait(since: since, limit: limit) { $0.endGathering(after: limit) })
        }
        if let since = interruptions.clientsSince, settings.interruptionTimeout > 0 {
            waits.append(
                Wait(since: since, limit: settings.interruptionTimeout) {
                    $0.endedInterruption($0.interruptions.endAll(.client, shouldResume: true), by: .timeout)
                })
        }
        return waits
    }

    private var waitsForSink: [Wait] {
        var waits: [Wait] = []
        func wait(_ since: MonotonicTime, _ limit: Double, _ message: String) {
            waits.append(Wait(since: since, limit: limit) { $0.giveUpStream(message) })
        }
        switch stream.state {
        case .closed: break
        case .opening(_, let since):
            let limit = Self.streamOpeningLimit
            wait(since, limit, "The sound server did not open a stream within \(Int(limit)) s.")
        case .open(_, _, .silent(let since)) where goal.isAtRest:
            waits.append(
                Wait(since: since, limit: Self.streamGrace) {
                    $0.actions += $0.stream.close()
                    $0.closeDown()
                })
        case .open(_, _, .starting(let since, hadFrames: true)) where isSinkAwaited:
            wait(since, Self.startingLimit, "The sink did not start within \(Int(Self.startingLimit)) s.")
        case .open(_, _, .pausing(let since, let fade)):
            wait(since, Self.pausingLimit + fade, "The sink did not fall silent within \(Int(Self.pausingLimit)) s.")
        case .open(_, _, .draining(let since)) where unheardRest <= 0:
            wait(since, Self.drainingLimit, "The sink did not play to the end.")
        case .open(_, _, .starting(let since, hadFrames: false)), .open(_, _, .dry(let since, _)):
            guard stream.stalledSince == nil, gathering == nil, !output.isSuspended, case .feeding = current?.stage
            else { break }
            waits.append(Wait(since: since, limit: Self.sourceLimit) { $0.giveUpSource() })
        case .open: break
        }
        if let since = stream.stalledSince {
            wait(since, Self.standingLimit, "The sink has stood still for \(Int(Self.standingLimit)) s.")
        }
        if case .stop(drain: false, let since) = goal {
            waits.append(Wait(since: since, limit: Self.stoppingLimit + settings.fades.stop) { $0.stopped() })
        }
        return waits
    }

    mutating func checkDeadlines() {
        giveUp { $0.waitsForOthers }
        checkAttenuation()
        checkSleep()
        checkTimedStart()
        watchSink()
        giveUp { $0.waitsForSink }
        checkOutage()
        checkSaving()
    }

    private mutating func giveUp(_ waits: (PlayerCore) -> [Wait]) {
        while let wait = waits(self).first(where: { now.isOver($0.limit, since: $0.since) }) {
            wait.giveUp(&self)
        }
    }

    private mutating func checkOutage() {
        guard let outage else { return }
        if outage.isOver(now), goal.wantsSound { goal = .pause(.outputUnavailable) }
        if !goal.wantsSound {
            self.outage = nil
        } else if isHeldBack, availability == .available {
            // There is a way to sound again; that it is not taken has another reason.
            endOutage()
        }
    }

    private mutating func giveUpStream(_ message: String) {
        guard let generation = stream.generation else { return }
        actions.append(.output(.stream(.close, generation)))
        outputReported(.failed(generation, .lost(message)))
    }

    /// When the player wants to be called again although nothing has happened; nil while it can sleep.
    var nextDeadline: MonotonicTime? {
        var times = (waitsForOthers + waitsForSink).map { $0.since.advanced(bySeconds: $0.limit) }
        times += [
            pending.deadline, attenuations.next, sleepDeadline, timedStartDeadline, saving.retryTime,
            nextLiveMoment, nextBorder, nextStretch, poll.map(now.advanced(bySeconds:)),
        ].compactMap(\.self)
        if let outage, goal.wantsSound {
            times.append(wantsStream ? min(outage.end, outage.retryTime) : outage.end)
        }
        if status == .playing, case .running = stream.transport {
            times.append(saving.positionTime(every: clockInterval))
        }
        return times.min().map { max($0, now.advanced(bySeconds: 0.001)) }
    }

    /// Frames are written for it, and it takes them when it is started.
    private var isSinkAwaited: Bool { current?.isFed == true && !output.isSuspended }

    /// Seconds until the sink's clock is read again, as nothing reports what is waited for.
    private var poll: Double? {
        if pending.awaitDecoding { return Self.startingPoll }
        switch stream.transport {
        case .starting: return isSinkAwaited ? Self.startingPoll : nil
        case .running where status != .playing && isSinkAwaited, .draining where status != .playing && isSinkAwaited:
            return stream.stalledSince == nil ? Self.startingPoll : Self.standingPoll
        case .draining: return clockInterval
        // The sink may have played what came late before the output could report it.
        case .dry where current?.writtenEnd != nil && !output.isSuspended: return Self.standingPoll
        case .silent, .running, .dry, .pausing, nil: return nil
        }
    }

    /// When the next stretch of the current item is heard, as another round of its loop or the end of a rewind.
    private var nextStretch: MonotonicTime? {
        guard stream.isSounding, stream.clock.isAdvancing, let start = stream.timeline.nextStart else { return nil }
        return stream.seconds(to: start).map(stream.clock.sampledAt.advanced(bySeconds:))
    }

    /// When the end of the current item is heard, or the next one is to enter the ring.
    private var nextBorder: MonotonicTime? {
        guard stream.isSounding, let border, let remaining = stream.seconds(to: border), remaining > 0 else {
            return nil
        }
        if upcoming.map({ !$0.isFed }) ?? wantsDecay, remaining > feedAhead {
            return stream.clock.sampledAt.advanced(bySeconds: remaining - feedAhead)
        }
        return upcoming == nil ? nil : stream.clock.sampledAt.advanced(bySeconds: remaining)
    }
}

extension MonotonicTime {
    /// Whether a wait that began at `since` ends now. A timer may call a little early.
    func isOver(_ seconds: Double, since: MonotonicTime) -> Bool { self.seconds(since: since) >= seconds - 0.0005 }
}

/// A sink that has frames to play and does not: a sound server that is frozen, a device that has stopped taking frames.
extension PlayerCore {
    /// How long a started sink may stand before its stream counts as lost.
    static let standingLimit = 5.0
    /// How long a source may leave the sink without frames before its item fails.
    static let sourceLimit = 30.0
    /// How often the clock is read while the sink stands.
    static let standingPoll = 0.05

    /// Seconds of the current item, and of what the effects make of it, that are written and not heard.
    var unheardRest: Double {
        (current?.decayEnd ?? current?.writtenEnd).flatMap { stream.seconds(to: $0) } ?? 0
    }

    private mutating func watchSink() {
        stream.watch(hasRest: unheardRest > 0, isSuspended: output.isSuspended, now)
        // A seek that is heard needs no report of a start.
        guard case .starting = stream.transport, isHeard, stream.clock.isAdvancing else { return }
        actions += stream.started()
        outage = nil
        observe(stream.clock)
    }

    /// Without frames for a long time: the item fails. Frames that came too late to be played are the sink's to play, and it
    /// has its own time for them.
    private mutating func giveUpSource() {
        if stream.hasFrames { return stream.stall(now) }
        let message = "The media gave no sound for \(Int(Self.sourceLimit)) s."
        loaded.updateCurrent { $0.fail(PlaybackError(.timedOut, message, itemID: $0.item.id)) }
    }
}
