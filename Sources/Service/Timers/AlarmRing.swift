// SPDX-License-Identifier: Apache-2.0

import Kernel
import Playback

/// An alarm from its time until somebody ends it. What does not sound gives way to what does.
struct AlarmRing: Hashable {
    enum Stage: Int, Sendable {
        /// What it has played before it was snoozed, as long as that is in the queue.
        case kept
        case items, fallback, tone
    }

    var id: TimerID
    /// Milliseconds since the epoch.
    var dueAt: Int64
    var stage: Stage
    /// The player has taken this stage's command.
    var isBegun = false
    /// Of this stage.
    var isHeard = false
    /// The items of this stage in the queue; from 0 on: it plays the queue as it is.
    var items: Range<UInt64>?
    /// Of the queue, when they came into it.
    var revision: QueueRevision?
    /// What came of it before it was snoozed.
    var before: Alarm.Outcome.Result?
    /// There is no sound server: its items are not at fault.
    var waitsForOutput = false
    /// An hour behind its first sound, whatever sounds by then.
    var end: MonotonicTime?
    /// Without sound by then, something else is tried; with sound, the alarm is over then.
    var deadline: MonotonicTime

    /// Seconds until the next stage is tried.
    static let patience = 10.0
    /// Who has not ended it by then, in seconds, listens to music.
    static let longest = 3_600.0
}

/// What the player reports to its timers.
enum TimerReport: Sendable {
    case status(PlayerStatus, StatusReason? = nil, item: UInt64? = nil, wantsSound: Bool)
    /// Its sleep plan is over.
    case slept
    /// It does not start at that time: another command came first.
    case startDropped(at: MonotonicTime)
    case outputIsBack
    /// It has taken the command of that stage, and come to rest, or refused it.
    case taken(TimerID, AlarmRing.Stage, Result<PlayerSnapshot, PlaybackError>)
}

extension TimerBook {
    mutating func report(_ report: TimerReport, _ moment: TimerMoment) -> [Effect] {
        switch report {
        case .slept:
            // A new plan may have been made meanwhile.
            timers.removeAll { $0.isSleep && ($0.next ?? 0) <= moment.wall + 500 }
            return []
        case .startDropped(let time):
            // A new start may have been set meanwhile. The two clocks are read one after the other.
            timers.removeAll { timer in
                guard timer.isHandedOver, let next = timer.next else { return false }
                return abs(moment.monotonic(at: next).seconds(since: time)) < 0.05
            }
            return []
        case .status(let status, let reason, let item, let wantsSound):
            return ringHears(status, reason, item, wantsSound, moment)
        case .outputIsBack:
            guard let ring, ring.waitsForOutput else { return [] }
            return sound(ring.stage, moment)
        case .taken(let id, let stage, let result):
            guard ring?.id == id, ring?.stage == stage else {
                // Snoozed or ended before the player took it.
                guard stage == .tone, case .success(let snapshot) = result, let items = snapshot.insertedItems else {
                    return []
                }
                return [.withdraw(items, snapshot.queueRevision)]
            }
            switch result {
            case .failure(let error): return ringIsRefused(error, moment)
            case .success(let snapshot):
                ring?.isBegun = true
                let item = snapshot.item?.item.id.number
                if let items = snapshot.insertedItems {
                    ring?.items = items
                    ring?.revision = snapshot.queueRevision
                }
                // Of the queue as it is, nothing that comes later.
                if ring?.items == nil { ring?.items = 0..<snapshot.nextItemNumber }
                return ringHears(snapshot.status, snapshot.reason, item, snapshot.playWhenReady, moment)
            }
        }
    }

    /// It goes off: another one gives way.
    mutating func begin(_ index: Int, dueAt: Int64, wasSnoozed: Bool = false, _ moment: TimerMoment) -> [Effect] {
        var effects: [Effect] = []
        if let ring {
            set(ring.id) { alarm in if alarm.last?.result == nil { alarm.last?.result = .replaced } }
            effects = endRing(of: ring.id, isSilenced: false)
        }
        ring = AlarmRing(id: timers[index].id, dueAt: dueAt, stage: .items, deadline: moment.monotonic)
        if wasSnoozed, case .alarm(let alarm) = timers[index].kind { ring?.before = alarm.last?.result }
        set(timers[index].id) { alarm in
            alarm.state = .ringing
            alarm.last = Alarm.Outcome(at: dueAt)
            if !wasSnoozed { alarm.kept = nil }
        }
        // Who is to be woken does not fall asleep.
        timers.removeAll { $0.isSleep }
        return effects + sound(wasSnoozed ? .kept : .items, moment)
    }

    /// The alarm is over, or put off. Its tone does not stay in the queue: a later play is for music.
    mutating func endRing(of id: TimerID, isSilenced: Bool = true) -> [Effect] {
        guard let ring, ring.id == id else { return [] }
        self.ring = nil
        set(id) { alarm in
            alarm.state = .waiting
            alarm.endUnheard()
        }
        var effects: [Effect] = isSilenced ? [.silence] : []
        if ring.stage == .tone, let items = ring.items, let revision = ring.revision {
            effects.append(.withdraw(items, revision))
        }
        return effects
    }

    private mutating func sound(
        _ stage: AlarmRing.Stage, isAgain: Bool = false, _ moment: TimerMoment
    ) -> [Effect] {
        guard var next = ring, case .alarm(let alarm)? = timers.first(where: { $0.id == next.id })?.kind else {
            return []
        }
        next.stage = stage
        if stage == .kept, alarm.kept == nil { next.stage = .items }
        if stage == .fallback, alarm.fallback == nil { next.stage = .tone }
        next.isBegun = false
        next.isHeard = false
        next.waitsForOutput = false
        next.items = next.stage == .kept ? alarm.kept : nil
        next.revision = nil
        next.deadline = moment.monotonic.advanced(bySeconds: AlarmRing.patience)
        ring = next
        return [isAgain ? .soundAgain(next.id, alarm, next.stage, nil) : .sound(next.id, alarm, next.stage)]
    }

    mutating func ringIsDue(_ moment: TimerMoment) -> [Effect] {
        guard let ring, ring.deadline <= moment.monotonic else { return [] }
        guard ring.isHeard || ring.end.map({ $0 <= moment.monotonic }) ?? false else { return ringIsSilent(moment) }
        // Nobody listens to the tone.
        return endRing(of: ring.id, isSilenced: ring.stage == .tone)
    }

    /// Nothing was heard of this stage, and nothing will be.
    private mutating func ringIsSilent(_ moment: TimerMoment) -> [Effect] {
        guard let ring else { return [] }
        if let next = AlarmRing.Stage(rawValue: ring.stage.rawValue + 1), !ring.waitsForOutput {
            return sound(next, moment)
        }
        set(ring.id) { $0.last?.result = .failed }
        return endRing(of: ring.id)
    }

    private mutating func ringIsRefused(_ error: PlaybackError, _ moment: TimerMoment) -> [Effect] {
        guard error.code == .outputUnavailable, let ring else {
            // What was to sound again is not in the queue any more.
            guard let ring, ring.isHeard else { return ringIsSilent(moment) }
            return sound(ring.stage == .kept ? .items : ring.stage, isAgain: true, moment)
        }
        self.ring?.waitsForOutput = true
        self.ring?.deadline = moment.monotonic(at: ring.dueAt + Self.patience)
        return []
    }

    private mutating func ringHears(
        _ status: PlayerStatus, _ reason: StatusReason?, _ item: UInt64?, _ wantsSound: Bool, _ moment: TimerMoment
    ) -> [Effect] {
        guard let ring, ring.isBegun else { return [] }
        // Somebody plays something else.
        if let item, let items = ring.items, !items.contains(item) {
            return endRing(of: ring.id, isSilenced: false)
        }
        switch status {
        case .playing:
            guard !ring.isHeard else { return [] }
            self.ring?.isHeard = true
            let end = ring.end ?? moment.monotonic.advanced(bySeconds: AlarmRing.longest)
            self.ring?.end = end
            self.ring?.deadline = end
            let result: Alarm.Outcome.Result =
                switch ring.stage {
                case .kept: ring.before ?? .played
                case .items: .played
                case .fallback: .fallback
                case .tone: .tone
                }
            set(ring.id) { $0.last?.result = result }
            return []
        case .failed: return ringIsSilent(moment)
        case .completed:
            guard let items = ring.items, items.lowerBound > 0 else { return soundAgain(from: .index(0), moment) }
            return soundAgain(from: .item(ItemID(number: items.lowerBound)), moment)
        case .stopped where reason == .stopAfterCurrent: return soundAgain(from: .current, moment)
        default:
            if wantsSound { return [] }
            // Somebody has ended it.
            return endRing(of: ring.id, isSilenced: false)
        }
    }

    /// It was heard to its end, and nobody has ended the alarm.
    private mutating func soundAgain(from target: PlayTarget, _ moment: TimerMoment) -> [Effect] {
        guard let ring, case .alarm(let alarm)? = timers.first(where: { $0.id == ring.id })?.kind else { return [] }
        guard ring.isHeard else { return ringIsSilent(moment) }
        self.ring?.isBegun = false
        return [.soundAgain(ring.id, alarm, ring.stage, target)]
    }

    private mutating func set(_ id: TimerID, _ change: (inout Alarm) -> Void) {
        guard let index = timers.firstIndex(where: { $0.id == id }), case .alarm(var alarm) = timers[index].kind else {
            return
        }
        change(&alarm)
        timers[index].kind = .alarm(alarm)
    }
}

/// What an alarm sounds when nothing else does. It is made in the server, which plays it under this address.
public enum AlarmTone {
    public static let uri = "tonearm:alarm"
}
