// SPDX-License-Identifier: Apache-2.0

internal import Kernel

/// Interruptions: a call, an alarm, another program.
extension PlayerCore {
    /// Sound must wait: an interruption is active, or a lost device is awaited.
    var isHeldBack: Bool { interruptions.isActive || routing.waitsForDevice || isFollowerWithoutDevice }

    mutating func interruptionReported(_ notice: InterruptionNotice) {
        if notice.isBeginning {
            interruptionBegan(notice.source)
        } else {
            endedInterruption(interruptions.end(notice.source, shouldResume: notice.shouldResume), by: notice.source)
            if notice.source == .sleep { resumedFromSuspend() }
        }
    }

    /// The stream predates the sleep, and so does its timing: a new stream takes over at the same position.
    private mutating func resumedFromSuspend() {
        replaceStream(stream.generation)
        reportRoute(.wakeFromSleep)
    }

    /// A person muted the stream: applies under every policy.
    mutating func streamMuted(_ isMuted: Bool) {
        guard isMuted else { return interruptionReported(InterruptionNotice(isBeginning: false, source: .soundServer)) }
        if interruptions.begin(.soundServer, isMute: true, now: now) {
            emit(.interruption(isBeginning: true, .soundServer, shouldResume: nil))
        }
    }

    private mutating func interruptionBegan(_ source: InterruptionSource) {
        guard settings.interruptionPolicy == .auto || source == .lock || source == .announcement else {
            emit(.interruption(isBeginning: true, source, shouldResume: nil))
            // The sound server muted the stream with its request, and reports no end to a stream that plays on.
            if source == .soundServer {
                // The mute may arrive before the request.
                endedInterruption(interruptions.endAll(.soundServer, shouldResume: true), by: source)
                unmute()
            }
            return
        }
        if interruptions.begin(source, now: now) {
            emit(.interruption(isBeginning: true, source, shouldResume: nil))
        }
    }

    /// `mayResume`: nil while another interruption is active.
    mutating func endedInterruption(_ mayResume: Bool?, by source: InterruptionSource) {
        guard let mayResume else {
            // Nothing was interrupted, but observers still receive the end.
            if settings.interruptionPolicy == .notifyOnly, source == .client || source == .sleep {
                emit(.interruption(isBeginning: false, source, shouldResume: true))
            }
            return
        }
        emit(.interruption(isBeginning: false, source, shouldResume: mayResume))
        guard goal.wantsSound else { return }
        if mayResume, settings.autoResume || interruptions.wereOnlyAnnouncements {
            returnToLiveEdge()
        } else {
            goal = .pause(.interruptionEnded)
        }
    }

    /// The user wants sound despite all interruptions.
    mutating func overrideInterruption() {
        // A follower plays because its leader does. That is no request to override a lost device, or a call on its own.
        if settings.leader == nil { endWaitForDevice() }
        guard interruptions.isActive, settings.leader == nil || !interruptions.holds(.soundServer) else { return }
        interruptions.endAll()
        unmute()
        emit(.interruption(isBeginning: false, .user, shouldResume: true))
        if goal.wantsSound { returnToLiveEdge() }
    }

    /// Without a stream, the sound server reports no end. A call that goes on interrupts the next stream again.
    mutating func forgetServerInterruption() {
        endedInterruption(interruptions.endAll(.soundServer, shouldResume: false), by: .soundServer)
    }

    /// With `notifyOnly`, present interruptions end.
    mutating func interruptionPolicyChanged() {
        guard settings.interruptionPolicy == .notifyOnly, interruptions.isActive, !interruptions.holdsMute else {
            return
        }
        overrideInterruption()
    }

    private mutating func unmute() {
        if let generation = stream.generation { actions.append(.output(.stream(.unmute, generation))) }
    }

    /// A station's data from before is stale: it is reconnected.
    private mutating func returnToLiveEdge() {
        guard let current, current.isLive, current.failure == nil, !goal.isAtRest else { return }
        dropUpcoming()
        disconnectLive()
    }
}
