// SPDX-License-Identifier: Apache-2.0

internal import Audio
internal import Kernel

/// Reports of the output.
extension PlayerCore {
    mutating func outputReported(_ event: AudioOutputEvent) {
        switch event {
        case .opened(let generation, let ring):
            if stream.opened(generation, ring, now) { updateStreamFormat() }
        case .started(let generation):
            guard generation == stream.generation else { return }
            endOutage()
            // The sink did not stall: frames reached it late.
            if case .dry(_, hadFrames: true) = stream.transport { statistics.underruns += 1 }
            actions += stream.started()
        case .paused(let generation):
            if generation == stream.generation { stream.paused(now) }
        case .flushed: return
        case .drained(let generation):
            if generation == stream.generation, stream.drained(now) { drained() }
        case .underrun(let generation):
            if generation == stream.generation, stream.ranDry(now) { ranDry() }
        case .suspended(let generation, let isSuspended):
            guard generation == stream.generation, output.isSuspended != isSuspended else { return }
            output.isSuspended = isSuspended
            if !isSuspended {
                stream.renewWait(now)
                outputReturned()
                // Frames buffered during the suspension are stale.
                if current?.isLive == true, goal.wantsSound { disconnectLive() }
            }
            emit(.output(output))
        case .closed: return
        case .corkRequested(let generation, let isRequested):
            guard generation == stream.generation else { return }
            interruptionReported(InterruptionNotice(isBeginning: isRequested, source: .soundServer))
        case .muted(let generation, let isMuted):
            guard generation == stream.generation else { return }
            streamMuted(isMuted)
        case .ducked(let isDucked):
            guard output.isDucked != isDucked else { return }
            output.isDucked = isDucked
            emit(.output(output))
        case .displaced(let generation):
            guard generation == stream.generation else { return }
            replaceStream(generation)
        case .failed(let generation, let error):
            guard generation == stream.generation else { return }
            streamFailed(error)
        case .availability(let availability):
            availabilityChanged(availability)
        case .devices(let devices):
            devicesReported(devices)
        }
    }

    private mutating func drained() {
        if case .stop = goal {
            stopped()
        } else if goal.wantsSound, let end = current?.writtenEnd {
            advance(to: max(end, current?.decayEnd ?? end))
            if upcoming == nil || stopsAfterCurrent {
                reachedEndOfQueue()
            } else {
                _ = reachedEnd()
            }
        }
    }

    private mutating func ranDry() {
        if !stream.hasFrames, let current, current.writtenEnd == nil, !current.isOpening { statistics.underruns += 1 }
        jumped()
        prebufferAfterUnderrun()
    }

    private mutating func availabilityChanged(_ new: OutputAvailability) {
        let old = availability
        availability = new
        output.availability = new
        if new == .available {
            outage?.retry(now)
            outlivedOutage()
            outputReturned()
        }
        if old != new, !(old == nil && new == .available) { emit(.output(output)) }
        if outage == nil { beginOutageIfUnavailable() }
    }

    private mutating func outputReturned() {
        // While sound is wanted, the error stays until sound is heard.
        guard !goal.wantsSound else { return }
        switch goal {
        case .pause(.outputUnavailable), .pause(.outputSuspended): goal = .pause(.outputReturned)
        default: break
        }
        if lastError?.code == .outputUnavailable { lastError = nil }
    }

    mutating func beginOutageIfUnavailable() {
        guard case .unavailable(let message) = availability, goal.wantsSound else { return }
        lastError = PlaybackError(.outputUnavailable, message, itemID: current?.item.id)
        outage = Outage(now)
    }

    /// The sound server moved the stream to another device and reports no start. `watchSink` notices if it stalls.
    private mutating func outlivedOutage() {
        switch stream.transport {
        case .running, .dry, .draining: if outage != nil { endOutage() }
        case .silent, .starting, .pausing, nil: return
        }
    }

    mutating func endOutage() {
        outage = nil
        if lastError?.code == .outputUnavailable { lastError = nil }
    }

    /// The stream failed. The item stays at the last audible position and resumes once a sink is available.
    private mutating func streamFailed(_ error: AudioOutputError) {
        let place = position
        if !goal.wantsSound { giveUpMakingReady() }
        streamClosed()
        if case .deviceGone = error { deviceLost() }
        let code: PlaybackError.Code = if case .refused = error { .outputRefused } else { .outputUnavailable }
        let failure = PlaybackError(code, error.message, itemID: current?.item.id)
        if case .stop = goal { return stopped() }
        guard !goal.isAtRest, current != nil else { return }
        if goal.wantsSound { lastError = failure }
        decodeUnheardAgain(from: place)
        if case .refused = error, goal.wantsSound {
            if let current { complete(current, .error) }
            emit(.error(failure))
            rest(.failed(failure), at: place)
        } else if goal.wantsSound, !isHeldBack {
            outage = outage ?? Outage(now)
            outage?.failed(now)
        }
    }

    /// The stream is closed.
    mutating func streamClosed() {
        stream.lost()
        replaceStream(nil)
        updateStreamFormat()
        forgetServerInterruption()
    }

    /// Decodes again, from the audible position, the frames that were in the ring of a closed stream.
    mutating func decodeUnheardAgain(from place: Double) {
        if upcoming?.isFed == true { actions += loaded.dropUpcoming() }
        if current?.isLive == true {
            disconnectLive()
        } else if current?.isFed == true {
            repositionCurrent(to: .seconds(place), scan: scan?.rate)
        }
    }

    mutating func updateStreamFormat() {
        let old = output
        output.sampleRate = stream.format?.sampleRate
        output.channelCount = stream.format?.channelCount
        if stream.format == nil { output.isSuspended = false }
        if output != old { emit(.output(output)) }
    }

    /// The stop is complete.
    mutating func stopped() {
        if let current { complete(current, .user) }
        rest(.stopped(reasonToStop), at: 0)
    }
}
