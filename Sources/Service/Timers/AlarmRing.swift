// SPDX-License-Identifier: Apache-2.0

import Kernel
import Playback

/// An alarm that goes off, until somebody ends it. If a stage is not heard, the next one plays.
struct AlarmRing: Hashable {
    enum Stage: Int, Sendable {
        /// The items that played before the snooze, if they are still in the queue.
        case kept
        case items, fallback, tone
        /// The present queue, as the tone could not be queued either. This needs no save: the disk may hang.
        case queue
    }

    /// The player before a command of the alarm.
    struct Found: Hashable {
        var wantsSound: Bool
        var nextItemNumber: UInt64
    }

    var id: TimerID
    /// Milliseconds since the epoch.
    var dueAt: Int64
    var stage: Stage
    /// The player has performed this stage's command.
    var isBegun = false
    /// The player has performed the command of some stage.
    var hasBegun = false
    /// This stage has been heard.
    var isHeard = false
    /// The items of this stage in the queue. From 0 on: the alarm plays the present queue.
    var items: Range<UInt64>?
    /// Revision of the queue after `items` were inserted.
    var revision: QueueRevision?
    /// The result before the snooze.
    var before: Alarm.Outcome.Result?
    /// Until a command of the alarm. nil for a follower, which its leader commands.
    var found: Found?
    /// The output is unavailable or interrupted, so the items are not at fault.
    var waitsForOutput = false
    /// One hour after the first sound of any stage.
    var end: MonotonicTime?
    /// At this time the next stage plays, or the alarm ends if this one is heard.
    var deadline: MonotonicTime

    /// Seconds that a stage has to be heard.
    static let patience = 10.0
    /// Reasons of a pause that no client asked for.
    static let lapses: Set<StatusReason> = [
        .routeLost, .interruptionEnded, .outputUnavailable, .outputReturned, .session, .sessionChanged,
    ]
    /// Seconds after which an alarm ends by itself. Its music plays on, as somebody probably listens to it.
    static let longest = 3_600.0
}

/// Reports of the player to its timers.
enum TimerReport: Sendable {
    case status(PlayerStatus, StatusReason? = nil, item: UInt64? = nil, wantsSound: Bool)
    /// The sleep plan has ended.
    case slept
    /// The player has performed, dropped or given up the start.
    case startEnded(at: MonotonicTime)
    case outputIsBack
    /// The player has performed or refused the command of this stage.
    case taken(TimerID, AlarmRing.Stage, Result<PlayerSnapshot, PlaybackError>)
}

extension TimerBook {
    mutating func report(_ report: TimerReport, _ moment: TimerMoment) -> [Effect] {
        switch report {
        case .slept:
            // Keeps a plan that was set in the meantime.
            timers.removeAll { $0.isSleep && ($0.next ?? 0) <= moment.wall + 500 }
            return []
        case .startEnded(let time):
            // Keeps a start that was set in the meantime.
            timers.removeAll { if case .start(let start) = $0.kind { start.handedOver == time } else { false } }
            return []
        case .status(let status, let reason, let item, let wantsSound):
            return playerChanged(status, reason, item, wantsSound, moment)
        case .outputIsBack:
            // A player that has taken the items resumes them itself.
            guard let ring, ring.waitsForOutput, !ring.isBegun else { return [] }
            return sound(ring.stage, moment)
        case .taken(let id, let stage, let result):
            guard ring?.id == id, ring?.stage == stage else {
                // The alarm was snoozed or ended before the player performed the command.
                guard stage == .tone, case .success(let snapshot) = result, let items = snapshot.insertedItems else {
                    return []
                }
                return [.withdraw(items, snapshot.queueRevision)]
            }
            switch result {
            case .failure(let error): return stageIsRefused(error, moment)
            case .success(let snapshot):
                ring?.isBegun = true
                ring?.hasBegun = true
                let item = snapshot.item?.item.id.number
                if let items = snapshot.insertedItems {
                    ring?.items = items
                    ring?.revision = snapshot.queueRevision
                }
                // The present queue, without later items.
                if ring?.items == nil { ring?.items = 0..<snapshot.nextItemNumber }
                return playerChanged(snapshot.status, snapshot.reason, item, snapshot.playWhenReady, moment)
            }
        }
    }

    /// Whether this stage still has to play: its alarm was not ended, snoozed or replaced while it was prepared.
    func awaits(_ id: TimerID, _ stage: AlarmRing.Stage) -> Bool {
        ring.map { $0.id == id && $0.stage == stage && !$0.isBegun } ?? false
    }

    /// A stage is about to be prepared.
    mutating func ringFinds(_ snapshot: PlayerSnapshot) {
        guard ring?.found == nil, snapshot.settings.leader == nil else { return }
        ring?.found = AlarmRing.Found(
            wantsSound: snapshot.playWhenReady, nextItemNumber: snapshot.nextItemNumber)
    }

    /// An alarm goes off, and replaces another one.
    mutating func begin(_ index: Int, dueAt: Int64, wasSnoozed: Bool = false, _ moment: TimerMoment) -> [Effect] {
        var effects: [Effect] = []
        if let ring {
            if self[ring.id]?.last?.result == nil { self[ring.id]?.last?.result = .replaced }
            effects = endRing(of: ring.id, isSilenced: false)
        }
        ring = AlarmRing(id: timers[index].id, dueAt: dueAt, stage: .items, deadline: moment.monotonic)
        if wasSnoozed { ring?.before = timers[index].alarm?.last?.result } else { timers[index].alarm?.kept = nil }
        timers[index].alarm?.state = .ringing
        timers[index].alarm?.last = Alarm.Outcome(at: dueAt)
        // An alarm cancels the sleep timer.
        if timers.contains(where: \.isSleep) { effects.append(.sleep(nil)) }
        timers.removeAll { $0.isSleep }
        return effects + sound(wasSnoozed ? .kept : .items, moment)
    }

    /// The alarm is ended or snoozed. Its tone does not stay in the queue, where a later `play` expects music.
    mutating func endRing(of id: TimerID, isSilenced: Bool = true) -> [Effect] {
        guard let ring, ring.id == id else { return [] }
        self.ring = nil
        self[id]?.end()
        var effects: [Effect] = isSilenced ? [.silence] : []
        if ring.stage == .tone, let items = ring.items, let revision = ring.revision {
            effects.append(.withdraw(items, revision))
        }
        return effects
    }

    private mutating func sound(
        _ stage: AlarmRing.Stage, isAgain: Bool = false, _ moment: TimerMoment
    ) -> [Effect] {
        guard let old = ring, let alarm = self[old.id] else { return [] }
        let stage: AlarmRing.Stage =
            switch stage {
            case .kept where alarm.kept == nil: .items
            case .fallback where alarm.fallback == nil: .tone
            default: stage
            }
        ring = AlarmRing(
            id: old.id, dueAt: old.dueAt, stage: stage, hasBegun: old.hasBegun,
            items: stage == .kept ? alarm.kept : nil, before: old.before, found: old.found, end: old.end,
            deadline: moment.monotonic.advanced(bySeconds: AlarmRing.patience))
        return [isAgain ? .soundAgain(old.id, alarm, stage, nil) : .sound(old.id, alarm, stage)]
    }

    mutating func ringIsDue(_ moment: TimerMoment) -> [Effect] {
        guard let ring, ring.deadline <= moment.monotonic else { return [] }
        guard ring.isHeard || ring.end.map({ $0 <= moment.monotonic }) ?? false else { return stageIsSilent(moment) }
        // Music plays on, but the tone stops.
        return endRing(of: ring.id, isSilenced: ring.stage == .tone)
    }

    /// This stage is not heard: the next one plays.
    private mutating func stageIsSilent(_ moment: TimerMoment) -> [Effect] {
        guard let ring else { return [] }
        let isToneQueued = ring.stage == .tone && ring.isBegun
        if let next = AlarmRing.Stage(rawValue: ring.stage.rawValue + 1), !ring.waitsForOutput, !isToneQueued {
            return sound(next, moment)
        }
        self[ring.id]?.last?.result = .failed
        // Music that the alarm did not start plays on.
        return endRing(of: ring.id, isSilenced: ring.hasBegun)
    }

    /// The items are at fault, also if the output was unavailable meanwhile.
    private mutating func stageHasFailed(_ moment: TimerMoment) -> [Effect] {
        ring?.waitsForOutput = false
        return stageIsSilent(moment)
    }

    private mutating func stageIsRefused(_ error: PlaybackError, _ moment: TimerMoment) -> [Effect] {
        guard error.code == .outputUnavailable, let ring else {
            // The items to repeat are no longer in the queue.
            guard let ring, ring.isHeard else { return stageIsSilent(moment) }
            return sound(ring.stage == .kept ? .items : ring.stage, isAgain: true, moment)
        }
        self.ring?.waitsForOutput = true
        self.ring?.deadline = moment.monotonic(at: ring.dueAt + Self.patience)
        return []
    }

    private mutating func playerChanged(
        _ status: PlayerStatus, _ reason: StatusReason?, _ item: UInt64?, _ wantsSound: Bool, _ moment: TimerMoment
    ) -> [Effect] {
        guard let ring else { return [] }
        // A client plays something else or pauses while the items are late.
        if let found = ring.found,
            wantsSound ? (item ?? 0) >= found.nextItemNumber : found.wantsSound && reason == .user
        {
            return endRing(of: ring.id, isSilenced: false)
        }
        guard ring.isBegun else { return [] }
        // A client plays something else.
        if let item, let items = ring.items, !items.contains(item) {
            return endRing(of: ring.id, isSilenced: false)
        }
        switch status {
        case .playing:
            guard !ring.isHeard else { return [] }
            self.ring?.isHeard = true
            self.ring?.waitsForOutput = false
            let end = ring.end ?? moment.monotonic.advanced(bySeconds: AlarmRing.longest)
            self.ring?.end = end
            self.ring?.deadline = end
            let result: Alarm.Outcome.Result =
                switch ring.stage {
                case .kept: ring.before ?? .played
                case .items: .played
                case .fallback: .fallback
                case .tone, .queue: .tone
                }
            self[ring.id]?.last?.result = result
            return []
        case .failed: return stageHasFailed(moment)
        case .completed:
            guard let items = ring.items, items.lowerBound > 0 else { return soundAgain(from: .index(0), moment) }
            return soundAgain(from: .item(ItemID(number: items.lowerBound)), moment)
        case .stopped where reason == .stopAfterCurrent: return soundAgain(from: .current, moment)
        case .paused where !ring.isHeard && reason.map(AlarmRing.lapses.contains) ?? false,
            .interrupted where !ring.isHeard && reason == .routeLost:
            // The player does not resume by itself, or not before its headphones are back.
            return sound(ring.stage, moment)
        case .interrupted where wantsSound && !ring.isHeard:
            self.ring?.waitsForOutput = true
            // A call may take long; an output that stays away does not come back soon.
            self.ring?.deadline =
                reason == .interruption
                ? moment.monotonic.advanced(bySeconds: AlarmRing.longest)
                : moment.monotonic(at: ring.dueAt + Self.patience)
            return []
        default:
            // A client has ended the alarm.
            guard wantsSound else { return endRing(of: ring.id, isSilenced: false) }
            if ring.waitsForOutput {
                self.ring?.waitsForOutput = false
                self.ring?.deadline = moment.monotonic.advanced(bySeconds: AlarmRing.patience)
            }
            return []
        }
    }

    /// The items have ended and the alarm has not: they are repeated.
    private mutating func soundAgain(from target: PlayTarget, _ moment: TimerMoment) -> [Effect] {
        guard let ring, let alarm = self[ring.id] else { return [] }
        guard ring.isHeard else { return stageHasFailed(moment) }
        self.ring?.isBegun = false
        return [.soundAgain(ring.id, alarm, ring.stage, target)]
    }
}

/// The last stage of an alarm. The server generates the tone and plays it under this address.
public enum AlarmTone {
    public static let uri = "tonearm:alarm"
}
