// SPDX-License-Identifier: Apache-2.0

internal import Audio
internal import Kernel

/// The limits of all waits. An overdue wait becomes a failure that names its cause, or a retry.
extension PlayerCore {
    static let openingLimit = 30.0
    /// For a seek on the network, once another one waits for it: it may wait for data that nobody wants any more.
    static let outdatedSeekLimit = 1.0
    static let streamOpeningLimit = 5.0
    static let startingLimit = 5.0
    static let pausingLimit = 1.0
    /// Seconds after a limit at which the player's thread should have run.
    private static let oversleep = 0.1
    static let drainingLimit = 10.0
    /// Media seconds between two readings of the clock while sound advances. Each one refreshes and saves the published
    /// position, so that `kill -9` loses less than 1 s.
    static let clockDistance = 0.9
    /// Seconds between readings while a start or a seek is about to be heard.
    static let startingPoll = 0.005

    var clockInterval: Double {
        // A scan moves faster, and saves the position at its end.
        Self.clockDistance / min(4, max(1, abs(stream.timeline.place?.segment.pace.rate ?? 1)))
    }

    /// A wait for a report, and the reaction if it takes more than `limit` seconds. The reaction ends the wait.
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
                    let message = "The item did not open within \(Int(limit)) s."
                    $0.loaded.update(track.generation) {
                        $0.fail(PlaybackError(.timedOut, message, itemID: track.item.id))
                    }
                })
        }
        if let seek, let followUp = seek.followUp, followUp.scan == nil, let current, current.item.isRemote,
            current.media != nil, case .opening(let since) = current.stage
        {
            waits.append(
                Wait(since: since, limit: Self.outdatedSeekLimit) {
                    $0.loaded.seek = LoadedTracks.Seek(target: seek.target)
                    $0.reopenCurrent(at: seek.target)
                })
        }
        if let (since, limit) = prebufferingLimit {
            waits.append(Wait(since: since, limit: limit) { $0.endPrebuffering(after: limit) })
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
                    $0.streamClosed()
                })
        case .open(_, _, .starting(let since, hadFrames: true)) where isSinkAwaited:
            wait(since, Self.startingLimit, "The sink did not start within \(Int(Self.startingLimit)) s.")
        case .open(_, _, .pausing(let since, let fade)):
            let limit = Self.pausingLimit + fade
            waits.append(
                Wait(since: since, limit: limit) {
                    // The player slept past the limit: the whole machine stood still, and the sink is about to answer.
                    if $0.now.isOver(limit + Self.oversleep, since: since) { return $0.stream.renewWait($0.now) }
                    $0.giveUpStream("The sink did not fall silent within \(Int(Self.pausingLimit)) s.")
                })
        case .open(_, _, .draining(let since)) where unheardSeconds <= 0:
            wait(since, Self.drainingLimit, "The sink did not play to the end.")
        case .open(_, _, .starting(let since, hadFrames: false)), .open(_, _, .dry(let since, _)):
            guard stream.stalledSince == nil, prebuffering == nil, !output.isSuspended, case .feeding = current?.stage
            else { break }
            waits.append(Wait(since: since, limit: Self.sourceLimit) { $0.giveUpSource() })
        case .open: break
        }
        if let since = stream.stalledSince {
            wait(since, Self.stallLimit, "The sink has stood still for \(Int(Self.stallLimit)) s.")
        }
        return waits
    }

    mutating func checkDeadlines() {
        giveUp { $0.waitsForOthers }
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
            // The output can play again; the interruption has another reason.
            endOutage()
        }
    }

    private mutating func giveUpStream(_ message: String) {
        guard let generation = stream.generation else { return }
        actions.append(.output(.stream(.close, generation)))
        outputReported(.failed(generation, .lost(message)))
    }

    /// The time of the next tick that the core needs without any other input; nil while it can sleep.
    var nextDeadline: MonotonicTime? {
        var times = (waitsForOthers + waitsForSink).map { $0.since.advanced(bySeconds: $0.limit) }
        times += [
            pending.deadline, sleepDeadline, timedStartDeadline, saving.retryTime,
            nextLiveMoment, nextBorder, nextSegment, poll.map(now.advanced(bySeconds:)),
        ].compactMap(\.self)
        if let outage, goal.wantsSound {
            times.append(wantsStream ? min(outage.end, outage.retryTime) : outage.end)
        }
        if status == .playing, case .running = stream.transport {
            times.append(saving.positionTime(every: clockInterval))
        }
        return times.min().map { max($0, now.advanced(bySeconds: 0.001)) }
    }

    /// The sink has frames to take once it is started.
    private var isSinkAwaited: Bool { current?.isFed == true && !output.isSuspended }

    /// Seconds until the next reading of the sink's clock, for changes that no report announces.
    private var poll: Double? {
        if pending.awaitDecoding { return Self.startingPoll }
        switch stream.transport {
        case .starting: return isSinkAwaited ? Self.startingPoll : nil
        case .running where status != .playing && isSinkAwaited, .draining where status != .playing && isSinkAwaited:
            return stream.stalledSince == nil ? Self.startingPoll : Self.stallPoll
        case .draining: return clockInterval
        // The sink may have played late frames before the output could report it.
        case .dry where current?.writtenEnd != nil && !output.isSuspended: return Self.stallPoll
        case .silent, .running, .dry, .pausing, nil: return nil
        }
    }

    /// The time at which the next repetition of a loop, or the end of a rewind, is heard.
    private var nextSegment: MonotonicTime? {
        guard stream.isSounding, stream.clock.isAdvancing, let start = stream.timeline.nextStart else { return nil }
        return stream.seconds(to: start).map(stream.clock.sampledAt.advanced(bySeconds:))
    }

    /// The time at which the end of the current item is heard, or the next one must enter the ring.
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
    /// True if a wait that began at `since` is over. A timer may fire slightly early.
    func isOver(_ seconds: Double, since: MonotonicTime) -> Bool { self.seconds(since: since) >= seconds - 0.0005 }
}

/// A sink that has frames and does not play them: the sound server hangs, or the device takes no frames.
extension PlayerCore {
    /// Seconds that a started sink may stand still before its stream counts as lost.
    static let stallLimit = 5.0
    /// Seconds that a source may leave the sink without frames before its item fails.
    static let sourceLimit = 30.0
    /// Seconds between readings while the sink stands still.
    static let stallPoll = 0.05

    /// Seconds of the current item and its effect tail that are written and not heard.
    var unheardSeconds: Double {
        (current?.decayEnd ?? current?.writtenEnd).flatMap { stream.seconds(to: $0) } ?? 0
    }

    private mutating func watchSink() {
        stream.watch(hasRest: unheardSeconds > 0, isSuspended: output.isSuspended, now)
        // An audible seek needs no `started` report.
        guard case .starting = stream.transport, isHeard, stream.clock.isAdvancing else { return }
        actions += stream.started()
        outage = nil
        observe(stream.clock)
    }

    /// The sink had no frames for too long: the item fails. Frames that came late are the sink's to play.
    private mutating func giveUpSource() {
        if stream.hasFrames { return stream.stall(now) }
        let message = "The item gave no sound for \(Int(Self.sourceLimit)) s."
        let error = PlaybackError(.timedOut, message, itemID: current?.item.id)
        loaded.current?.fail(error)
    }
}
