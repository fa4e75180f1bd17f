// SPDX-License-Identifier: Apache-2.0

internal import Audio
internal import Kernel

/// The end of every wait. What is overdue becomes a failure that names its cause, or a second try.
extension PlayerCore {
    static let openingLimit = 30.0
    static let streamOpeningLimit = 5.0
    static let startingLimit = 5.0
    static let pausingLimit = 1.0
    /// Seconds of the media between two readings of the clock while sound advances: refreshes the published position and
    /// saves it, so that `kill -9` loses less than 1 s.
    static let clockDistance = 0.9
    /// How often while a start or a seek is about to be heard.
    static let startingPoll = 0.005

    private var stoppingLimit: Double { 1.5 + settings.fades.stop }

    var clockInterval: Double {
        // A scan is quicker, and saves when it ends.
        Self.clockDistance / min(4, max(1, abs(stream.timeline.place?.segment.pace.rate ?? 1)))
    }

    mutating func checkDeadlines() {
        Self.failIfOverdue(&current, now: now)
        Self.failIfOverdue(&upcoming, now: now)
        checkGathering()
        checkInterruption()
        checkAttenuation()
        checkSleep()
        checkAppointment()
        watchSink()
        checkStream()
        checkOutage()
        checkSaving()
    }

    private static func failIfOverdue(_ track: inout Track?, now: MonotonicTime) {
        guard let loading = track, case .opening(let since) = loading.stage else { return }
        let limit = openingLimit(of: loading)
        guard now.isOver(limit, since: since) else { return }
        track?.fail(
            PlaybackError(.timedOut, "The media did not open within \(Int(limit)) s.", itemID: loading.item.id))
    }

    private static func openingLimit(of track: Track) -> Double {
        max(openingLimit, track.item.oneShot?.timeout ?? 0)
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

    private mutating func checkStream() {
        switch stream.state {
        case .closed: return
        case .opening(let generation, let since):
            guard isOver(since, Self.streamOpeningLimit) else { return }
            giveUp(generation, "The sound server did not open a stream within \(Int(Self.streamOpeningLimit)) s.")
        case .open(let generation, _, let transport):
            switch transport {
            case .silent(let since):
                guard goal.isAtRest, isOver(since, Self.streamGrace) else { return }
                actions += stream.close()
                closeDown()
            case .starting(let since):
                // A seek that is heard needs no word from the output.
                if isHeard, stream.clock.isAdvancing {
                    actions += stream.started()
                    outage = nil
                    observe(stream.clock)
                } else if isOver(since, Self.startingLimit), !output.isSuspended, current?.isFed == true {
                    giveUp(generation, "The sink did not start within \(Int(Self.startingLimit)) s.")
                }
            case .pausing(let since, let fade):
                guard isOver(since, Self.pausingLimit + fade) else { return }
                giveUp(generation, "The sink did not fall silent within \(Int(Self.pausingLimit)) s.")
            case .draining(let since):
                if giveUpStanding(generation) { return }
                guard isOver(since, 10), unheardRest <= 0 else { return }
                giveUp(generation, "The sink did not play to the end.")
            case .running: _ = giveUpStanding(generation)
            case .dry(let since, _):
                if !giveUpStanding(generation) { checkSource(drySince: since) }
            }
        }
        if case .stop(drain: false, let since) = goal, isOver(since, stoppingLimit) { stopped() }
    }

    private mutating func giveUpStanding(_ generation: Generation) -> Bool {
        guard let since = stream.stalledSince, isOver(since, Self.standingLimit) else { return false }
        giveUp(generation, "The sink has stood still for \(Int(Self.standingLimit)) s.")
        return true
    }

    private mutating func giveUp(_ generation: Generation, _ message: String) {
        actions.append(.output(.stream(.close, generation)))
        outputReported(.failed(generation, .lost(message)))
    }

    func isOver(_ since: MonotonicTime, _ seconds: Double) -> Bool { now.isOver(seconds, since: since) }

    /// When the player wants to be called again although nothing has happened; nil while it can sleep.
    var nextDeadline: MonotonicTime? {
        var times: [MonotonicTime] = []
        func after(_ since: MonotonicTime, _ seconds: Double) { times.append(since.advanced(bySeconds: seconds)) }
        func pollUntilHeard() {
            guard status != .playing, current?.isFed == true, !output.isSuspended else { return }
            after(now, stream.stalledSince == nil ? Self.startingPoll : Self.standingPoll)
        }

        for track in [current, upcoming].compactMap(\.self) {
            if case .opening(let since) = track.stage { after(since, Self.openingLimit(of: track)) }
        }
        if let reply = pending.map(\.deadline).min() { times.append(reply) }
        times += [interruptionDeadline, attenuations.next, sleepDeadline, appointmentDeadline, saving.retryTime]
            .compactMap(\.self)
        if isBeingPrimed { after(now, Self.startingPoll) }
        if let wait = gatheringLimit { after(wait.since, wait.seconds) }
        if let moment = nextLiveMoment { times.append(moment) }
        if let outage, goal.wantsSound {
            times.append(wantsStream ? min(outage.end, outage.retryTime) : outage.end)
        }
        switch stream.state {
        case .closed: break
        case .opening(_, let since): after(since, Self.streamOpeningLimit)
        case .open(_, let format, let transport):
            switch transport {
            case .silent(let since): if goal.isAtRest { after(since, Self.streamGrace) }
            case .starting(let since):
                guard current?.isFed == true, !output.isSuspended else { break }
                after(since, Self.startingLimit)
                after(now, Self.startingPoll)
            case .pausing(let since, let fade): after(since, Self.pausingLimit + fade)
            case .draining:
                after(now, clockInterval)
                pollUntilHeard()
            case .running:
                if status == .playing { times.append(saving.positionTime(every: clockInterval)) }
                pollUntilHeard()
            case .dry(let since, _):
                guard stream.stalledSince == nil, gathering == nil, !output.isSuspended,
                    case .feeding = current?.stage
                else { break }
                after(since, Self.sourceLimit)
            }
            if let since = stream.stalledSince { after(since, Self.standingLimit) }
            times += [nextBorder(format), nextStretch(format)].compactMap(\.self)
        }
        if case .stop(drain: false, let since) = goal { after(since, stoppingLimit) }
        return times.min().map { max($0, now.advanced(bySeconds: 0.001)) }
    }

    /// When the next stretch of the current item is heard, as another round of its loop or the end of a rewind.
    private func nextStretch(_ format: AudioFormat) -> MonotonicTime? {
        guard stream.isSounding, stream.clock.isAdvancing, let start = stream.timeline.nextStart else { return nil }
        return stream.clock.sampledAt.advanced(bySeconds: format.seconds(start - stream.timeline.heard))
    }

    /// When the end of the current item is heard, or the next one is to enter the ring.
    private func nextBorder(_ format: AudioFormat) -> MonotonicTime? {
        guard stream.isSounding, let border else { return nil }
        let remaining = format.seconds(border - stream.timeline.heard)
        guard remaining > 0 else { return nil }
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

    mutating func watchSink() {
        stream.watch(hasRest: unheardRest > 0, isSuspended: output.isSuspended, now)
    }

    /// Without frames since `since`: the source has its time, then the item fails. Frames that came too late to be played
    /// are the sink's to play, and it has its own time for them.
    mutating func checkSource(drySince since: MonotonicTime) {
        guard stream.stalledSince == nil, gathering == nil, !output.isSuspended, let feeding = current,
            case .feeding = feeding.stage, isOver(since, Self.sourceLimit)
        else { return }
        if stream.hasFrames {
            stream.stall(now)
        } else {
            let message = "The media gave no sound for \(Int(Self.sourceLimit)) s."
            current?.fail(PlaybackError(.timedOut, message, itemID: feeding.item.id))
        }
    }
}
