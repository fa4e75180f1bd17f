// SPDX-License-Identifier: Apache-2.0

internal import Kernel
internal import Playback

/// Both clocks at one moment. Durations follow the monotonic clock, times of day the wall clock.
struct TimerMoment: Hashable {
    /// Milliseconds since the epoch.
    var wall: Int64
    var monotonic: MonotonicTime

    func monotonic(at wall: Int64) -> MonotonicTime {
        monotonic.advanced(bySeconds: Double(wall - self.wall) / 1_000)
    }
}

/// The timers of one player as a pure value: applies edits, and returns the effects of due timers.
struct TimerBook {
    static let maximum = 256
    /// Maximum size of all alarms' items.
    static let maximumBytes = 98_304
    /// Milliseconds after which an alarm or a start is missed.
    static let patience: Int64 = 60_000
    /// Milliseconds before a start at which the player gets it, because opening an item from a server takes time.
    static let handover: Int64 = 10_000
    /// Milliseconds; a start further ahead is refused as a mistake.
    static let horizon: Int64 = 366 * 86_400_000

    enum Effect: Equatable {
        case sleep(SleepPlan?)
        case start(ScheduledStart, MonotonicTime)
        case cancelStart
        /// Plays this stage of the alarm.
        case sound(TimerID, Alarm, AlarmRing.Stage)
        /// Repeats this stage at the present volume. No target: its items are no longer in the queue.
        case soundAgain(TimerID, Alarm, AlarmRing.Stage, PlayTarget?)
        /// Ends the sound of an alarm.
        case silence
        /// Removes the tone, which has these item numbers, by undoing the edit that made this revision.
        case withdraw(Range<UInt64>, QueueRevision)
    }

    var timers: [PlayerTimer] = []
    var nextNumber: UInt64 = 1
    /// The alarm that goes off.
    var ring: AlarmRing?
    /// Reads time zones.
    var zone: @Sendable (String?) -> ZoneRules? = { $0.map(ZoneFile.zone(named:)) ?? ZoneFile.local }

    subscript(id: TimerID) -> Alarm? {
        get { timers.first { $0.id == id }?.alarm }
        set { if let index = timers.firstIndex(where: { $0.id == id }) { timers[index].alarm = newValue } }
    }

    // MARK: Edits

    mutating func apply(_ edit: TimerEdit, _ moment: TimerMoment) throws(Problem) -> (id: TimerID, [Effect]) {
        switch edit {
        case .add(let kind): return try add(kind, moment)
        case .change(let id, let patch):
            let index = try index(of: id)
            let effects = try change(index, patch, moment)
            try checkSize()
            return (id, effects)
        case .remove(let id):
            let removed = timers.remove(at: try index(of: id))
            switch removed.kind {
            case .sleep: return (id, [.sleep(nil)])
            case .alarm: return (id, endRing(of: id))
            case .start: return (id, removed.isHandedOver ? [.cancelStart] : [])
            }
        case .snooze(let id, let seconds):
            let index = try index(of: id)
            guard let alarm = timers[index].alarm, let ring, ring.id == id else {
                throw Problem(.conflict, "not-ringing", "This timer is not a ringing alarm.")
            }
            if ring.stage != .kept {
                timers[index].alarm?.kept = ring.isHeard && ring.stage != .tone ? ring.items : nil
            }
            let effects = endRing(of: id)
            timers[index].alarm?.state = .snoozed
            timers[index].next = moment.wall + Int64(clamping: (seconds ?? alarm.snooze) * 1_000)
            return (id, effects)
        }
    }

    private func index(of id: TimerID) throws(Problem) -> Int {
        try timers.firstIndex { $0.id == id }.orThrow(.unknownTimer(id.description))
    }

    private mutating func add(
        _ kind: PlayerTimer.Kind, _ moment: TimerMoment
    ) throws(Problem) -> (id: TimerID, [Effect]) {
        var effects: [Effect] = []
        // A player has only one of these.
        switch kind {
        case .sleep: timers.removeAll { $0.isSleep }
        case .start:
            if timers.contains(where: \.isHandedOver) { effects = [.cancelStart] }
            timers.removeAll { $0.isStart }
        case .alarm: break
        }
        guard timers.count < Self.maximum else {
            throw .invalid("type", "A player has at most \(Self.maximum) timers.", code: "too-many-timers")
        }
        let id = TimerID(number: nextNumber)
        nextNumber += 1
        timers.append(PlayerTimer(id: id, kind: kind))
        effects += try schedule(timers.count - 1, moment)
        try checkSize()
        return (id, effects)
    }

    /// Takes over timers of a player that follows this one now; they keep their ids. This player's own timers of the
    /// same kind take precedence.
    mutating func take(_ moved: [PlayerTimer], _ moment: TimerMoment) -> [Effect] {
        var effects: [Effect] = []
        for var timer in moved
        where !timers.contains(where: { $0.isSleep == timer.isSleep && $0.isStart == timer.isStart }) {
            if case .start(let start) = timer.kind {
                // Too late for another player.
                guard let next = timer.next, next > moment.wall else { continue }
                // The item belongs to another queue.
                timer.kind = .start(ScheduledStart(item: nil, position: nil, at: start.at))
            }
            timers.append(timer)
            nextNumber = max(nextNumber, timer.id.number &+ 1)
            if timer.isSleep { effects.append(.sleep(plan(of: timer, moment))) }
        }
        return effects + advance(moment)
    }

    private func checkSize() throws(Problem) {
        let bytes = timers.reduce(0) { sum, timer in
            guard let alarm = timer.alarm else { return sum }
            return sum
                + alarm.items.reduce((alarm.fallback ?? "").utf8.count + (alarm.output ?? "").utf8.count) {
                    $0 + $1.bytes
                }
        }
        if bytes > Self.maximumBytes {
            throw .tooLarge("The items of all alarms take at most \(Self.maximumBytes >> 10) KB.")
        }
    }

    private mutating func change(
        _ index: Int, _ patch: TimerPatch, _ moment: TimerMoment
    ) throws(Problem) -> [Effect] {
        var effects: [Effect] = []
        switch timers[index].kind {
        case .sleep(var sleep):
            sleep.end = patch.end ?? sleep.end
            sleep.fade = patch.fade ?? sleep.fade
            timers[index].kind = .sleep(sleep)
        case .start(var start):
            effects = timers[index].isHandedOver ? [.cancelStart] : []
            start.at = patch.at ?? start.at
            start.handedOver = nil
            timers[index].kind = .start(start)
        case .alarm(var alarm):
            alarm.apply(patch)
            if patch.isEnabled == false { effects = endRing(of: timers[index].id) }
            let isSnoozed = alarm.state == .snoozed
            if isSnoozed, patch.isEnabled == nil, !patch.changesTime {
                // The alarm goes off again after the snooze, with the changes.
                if patch.items != nil { alarm.kept = nil }
                timers[index].kind = .alarm(alarm)
                return []
            }
            if isSnoozed || patch.isEnabled == false { alarm.end() }
            timers[index].kind = .alarm(alarm)
        }
        return effects + (try schedule(index, moment))
    }

    // MARK: Times

    /// Computes the timer's next time after this moment.
    private mutating func schedule(_ index: Int, _ moment: TimerMoment) throws(Problem) -> [Effect] {
        switch timers[index].kind {
        case .sleep(let sleep):
            switch sleep.end {
            case .after(let seconds): timers[index].next = moment.wall + Int64(clamping: seconds * 1_000)
            case .endOfItem, .endOfQueue: timers[index].next = nil
            }
            return [.sleep(plan(of: timers[index], moment))]
        case .start(let start):
            guard start.at > moment.wall else { throw .invalid("at", "at is in the past.") }
            guard start.at - moment.wall <= Self.horizon else {
                throw .invalid("at", "at is more than a year ahead.")
            }
            timers[index].next = start.at
            return advance(moment)
        case .alarm(var alarm):
            guard let zone = zone(alarm.timeZone) else {
                let given = alarm.timeZone.map { ", not \($0)" } ?? ""
                throw .invalid(
                    "timeZone", "timeZone must be a time zone of this machine, such as Europe/Berlin\(given).")
            }
            alarm.dueDay = nil
            timers[index].next = nil
            if alarm.isEnabled {
                let seconds = Int(moment.wall).dividedDown(by: 1_000)
                let due = alarm.recurrence.next(after: seconds, in: zone, except: alarm.lastDay)
                alarm.dueDay = due.day
                timers[index].next = Int64(due.time) * 1_000
            }
            timers[index].kind = .alarm(alarm)
            return []
        }
    }

    private func plan(of timer: PlayerTimer, _ moment: TimerMoment) -> SleepPlan? {
        guard case .sleep(let sleep) = timer.kind else { return nil }
        switch sleep.end {
        case .after(let seconds):
            let end = timer.next.map { moment.monotonic(at: $0) } ?? moment.monotonic
            return SleepPlan(end: .at(end), fade: min(sleep.fade, seconds))
        case .endOfItem: return SleepPlan(end: .endOfItem, fade: sleep.fade)
        case .endOfQueue: return SleepPlan(end: .endOfQueue, fade: sleep.fade)
        }
    }

    /// After a start of the server: handles the timers that were due while it was off, and continues the others.
    mutating func resume(_ moment: TimerMoment) -> [Effect] {
        var effects: [Effect] = []
        timers.removeAll { timer in timer.isSleep && timer.next.map { $0 <= moment.wall } ?? false }
        // By their ids, because an alarm may remove other timers.
        for id in timers.map(\.id) {
            guard let index = timers.firstIndex(where: { $0.id == id }) else { continue }
            if let plan = plan(of: timers[index], moment) { effects.append(.sleep(plan)) }
            guard let alarm = timers[index].alarm, alarm.state == .ringing else { continue }
            // The server ended while the alarm was ringing.
            timers[index].alarm?.end()
            if let last = alarm.last, moment.wall - last.at <= Self.patience, ring == nil {
                effects += begin(index, dueAt: last.at, moment)
            }
        }
        return effects + advance(moment)
    }

    /// Handles the timers that are due.
    mutating func advance(_ moment: TimerMoment) -> [Effect] {
        var effects: [Effect] = []
        // Missed. The player reports the end of those that it has.
        timers.removeAll { $0.isStart && moment.wall - ($0.next ?? 0) > Self.patience }
        for id in timers.map(\.id) {
            guard let index = timers.firstIndex(where: { $0.id == id }), let next = timers[index].next else { continue }
            switch timers[index].kind {
            case .sleep: continue
            case .start(var start):
                guard next - Self.handover <= moment.wall, start.handedOver == nil else { continue }
                let time = moment.monotonic(at: next)
                start.handedOver = time
                timers[index].kind = .start(start)
                effects.append(.start(start, time))
            case .alarm:
                guard next <= moment.wall else { continue }
                effects += alarmIsDue(index, next, moment)
            }
        }
        // Of several alarms at the same time, the last one rings.
        effects = effects.filter { if case .sound(let id, _, _) = $0 { id == ring?.id } else { true } }
        return effects + ringIsDue(moment)
    }

    private mutating func alarmIsDue(_ index: Int, _ next: Int64, _ moment: TimerMoment) -> [Effect] {
        guard var alarm = timers[index].alarm else { return [] }
        let isMissed = moment.wall - next > Self.patience
        let wasSnoozed = alarm.state == .snoozed
        if !wasSnoozed {
            alarm.lastDay = alarm.dueDay
            if alarm.recurrence.days.isEmpty { alarm.isEnabled = false }
        }
        alarm.state = .waiting
        if isMissed { alarm.last = Alarm.Outcome(at: next, result: .missed) }
        timers[index].alarm = alarm
        reschedule(index, moment)
        return isMissed ? [] : begin(index, dueAt: next, wasSnoozed: wasSnoozed, moment)
    }

    /// An alarm whose time zone no longer exists has no next time.
    private mutating func reschedule(_ index: Int, _ moment: TimerMoment) {
        do throws(Problem) { _ = try schedule(index, moment) } catch { timers[index].next = nil }
    }

    /// The wall clock has jumped by this number of milliseconds: it was set, or the machine slept.
    mutating func clockWasSet(by jump: Int64, _ moment: TimerMoment) -> [Effect] {
        // Durations stay the same.
        for index in timers.indices where timers[index].hasDuration {
            timers[index].next = timers[index].next.map { $0 + jump }
        }
        // Timers that the clock jumped over are due.
        let effects = advance(moment)
        for index in timers.indices where !timers[index].hasDuration {
            guard var alarm = timers[index].alarm else { continue }
            // The clock had been ahead: the missed time is yet to come.
            if let last = alarm.last, last.result == .missed, last.at > moment.wall {
                (alarm.last, alarm.lastDay) = (nil, nil)
                if alarm.recurrence.days.isEmpty { alarm.isEnabled = true }
                timers[index].alarm = alarm
            }
            reschedule(index, moment)
        }
        return effects
    }

    /// The times at which `advance` must be called.
    var due: (wall: Int64?, monotonic: MonotonicTime?) {
        let times = timers.compactMap { timer -> Int64? in
            switch timer.kind {
            case .sleep: return nil
            case .alarm: return timer.next
            case .start(let start):
                return timer.next.map { start.handedOver == nil ? $0 - Self.handover : $0 + Self.patience + 1 }
            }
        }
        return (times.min(), ring?.deadline)
    }
}
