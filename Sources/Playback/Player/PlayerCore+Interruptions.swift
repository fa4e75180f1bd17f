// SPDX-License-Identifier: Apache-2.0

internal import Audio
internal import Kernel

/// Others take the sound for a while: a call, an alarm, another program.
extension PlayerCore {
    /// The music is wanted and must not sound.
    var isHeldBack: Bool { interruptions.isActive || routing.waitsForDevice }

    mutating func interruptionReported(_ notice: InterruptionNotice) {
        if notice.isBeginning {
            interruptionBegan(notice.source)
        } else {
            endedInterruption(
                interruptions.end(notice.source, shouldResume: notice.shouldResume), by: notice.source)
            if notice.source == .sleep { woke() }
        }
    }

    /// The stream is of before the sleep: its sink may have been put together anew since, and what the sound server knows of
    /// its time is old. Another one takes its place, at the same position.
    private mutating func woke() {
        leave(stream.generation)
        reportRoute(.wakeFromSleep)
    }

    /// By a person, who is obeyed whatever the policy is.
    mutating func streamMuted(_ isMuted: Bool) {
        guard isMuted else {
            return interruptionReported(InterruptionNotice(isBeginning: false, source: .soundServer))
        }
        if interruptions.begin(.soundServer, isMute: true, now: now) {
            emit(.interruption(isBeginning: true, .soundServer, shouldResume: nil))
        }
    }

    private mutating func interruptionBegan(_ source: InterruptionSource) {
        guard settings.interruptionPolicy == .auto || source == .lock || source == .announcement else {
            emit(.interruption(isBeginning: true, source, shouldResume: nil))
            // The sound server has muted us along with its question, and reports no end to a stream that plays on.
            if source == .soundServer {
                // A mute may come before its request.
                endedInterruption(interruptions.endAll(.soundServer, shouldResume: true), by: source)
                unmute()
            }
            return
        }
        if interruptions.begin(source, now: now) {
            emit(.interruption(isBeginning: true, source, shouldResume: nil))
        }
    }

    /// `mayResume`: nil while somebody else still has the sound.
    mutating func endedInterruption(_ mayResume: Bool?, by source: InterruptionSource) {
        guard let mayResume else {
            // Nothing is held back from the user's view; observers are notified nevertheless.
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

    /// The user wants to hear music now, despite every interruption.
    mutating func overrideInterruption() {
        endWaitForDevice()
        // A follower plays because its leader does: nobody has asked for its own sound.
        guard interruptions.isActive, settings.leader == nil || !interruptions.holds(.soundServer) else { return }
        interruptions.endAll()
        unmute()
        emit(.interruption(isBeginning: false, .user, shouldResume: true))
        if goal.wantsSound { returnToLiveEdge() }
    }

    /// Without a stream the sound server has nothing to end: a call that goes on interrupts the next stream anew.
    mutating func forgetServerInterruption() {
        endedInterruption(interruptions.endAll(.soundServer, shouldResume: false), by: .soundServer)
    }

    /// Nobody's interruption is obeyed any more.
    mutating func interruptionPolicyChanged() {
        guard settings.interruptionPolicy == .notifyOnly, interruptions.isActive, !interruptions.holdsMute else {
            return
        }
        overrideInterruption()
    }

    private mutating func unmute() {
        if let generation = stream.generation { actions.append(.output(.stream(.unmute, generation))) }
    }

    /// What a station has sent meanwhile is of the past: it is joined anew.
    private mutating func returnToLiveEdge() {
        guard let current, current.isLive, current.failure == nil, !goal.isAtRest else { return }
        dropUpcoming()
        leaveLive()
    }
}
