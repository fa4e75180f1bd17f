// SPDX-License-Identifier: Apache-2.0

import Playback
import Testing

@testable import Service

@Suite struct TimerBookTests {
    @Test func alarmRings_atItsTime_andNotBefore() throws {
        var world = TimerWorld()
        try world.add()
        #expect(world.next == TimerWorld.seven && world.book.due.wall == TimerWorld.seven)
        world.pass(3_599.9)
        #expect(world.advance() == [])
        world.pass(0.1)
        #expect(world.advancedStage() == .items)
        #expect(world.alarm?.state == .ringing && world.alarm?.isEnabled == false && world.next == nil)
        #expect(world.advance() == [])
    }

    @Test func ofTwoAlarmsAtOneTime_theLastOneRings_andTheOtherIsReplaced() throws {
        var world = TimerWorld()
        for _ in 0..<2 { try world.add() }
        world.pass(3_600)
        #expect(world.advancedStage() == .items)
        let alarms = world.book.timers.map(\.alarm)
        #expect(alarms[0]?.last?.result == .replaced && alarms[0]?.state == .waiting)
        #expect(alarms[1]?.last?.result == nil && alarms[1]?.state == .ringing)
    }

    @Test func alarmRepeats_onItsDays() throws {
        var world = TimerWorld()
        try world.add(TimerWorld.alarm([.wed]))
        world.pass(3_600)
        #expect(world.advancedStage() == .items)
        #expect(world.next == TimerWorld.seven + 7 * TimerWorld.day && world.alarm?.isEnabled == true)
    }

    @Test(arguments: [[], Set(Weekday.allCases)])
    func aLaterTimeOfTheSameDay_ringsAgainThatDay(days: Set<Weekday>) throws {
        var world = TimerWorld()
        let id = try world.add(TimerWorld.alarm(days)).id
        world.pass(3_600)
        #expect(world.advancedStage() == .items)
        var patch = TimerPatch()
        (patch.seconds, patch.isEnabled) = (8 * 3_600, true)
        _ = try world.book.apply(.change(id, patch), world.moment)
        #expect(world.next == TimerWorld.seven + 3_600_000)
    }

    @Test(arguments: [(59, true), (61, false), (86_400 * 9, false)] as [(Double, Bool)])
    func alarmIsMissed_whenTheServerWasOff(late: Double, rings: Bool) throws {
        var world = TimerWorld()
        try world.add()
        #expect((TimerWorld.stage(world.restart(after: 3_600 + late)) != nil) == rings)
        #expect(world.alarm?.isEnabled == false)
        #expect(world.alarm?.last == Alarm.Outcome(at: TimerWorld.seven, result: rings ? nil : .missed))
    }

    @Test func aStageThatIsNotHeard_isReplacedByTheNext() throws {
        var world = TimerWorld()
        let id = try world.ring(TimerWorld.alarm(fallback: "bell.mp3"))
        // A server that does not respond.
        #expect(world.perform(id, .items, .loading) == [])
        #expect(world.alarm?.last == Alarm.Outcome(at: TimerWorld.seven))
        var restarted = world
        _ = restarted.restart(after: 120)
        #expect(restarted.alarm?.last == Alarm.Outcome(at: TimerWorld.seven, result: .failed))
        var stopped = world
        _ = stopped.report(.status(.paused, wantsSound: false))
        #expect(stopped.alarm?.last?.result == .failed)
        world.pass(10)
        #expect(world.advancedStage() == .fallback)
        // A missing file.
        #expect(TimerWorld.stage(world.refuse(id, .fallback, .notFound)) == .tone)
        #expect(world.perform(id, .tone) == [])
        #expect(world.alarm?.last?.result == .tone && world.alarm?.state == .ringing)
        #expect(world.report(.status(.paused, wantsSound: false)) == [])
        #expect(world.alarm?.state == .waiting && world.book.ring == nil)
    }

    @Test func withoutAFallback_theTonePlays_alsoIfTheItemsFailLater() throws {
        var world = TimerWorld()
        let id = try world.ring()
        var failing = world
        #expect(TimerWorld.stage(failing.perform(id, .items, .failed, wantsSound: false)) == .tone)
        _ = world.perform(id, .items)
        world.pass(300)
        #expect(TimerWorld.stage(world.report(.status(.failed, wantsSound: false))) == .tone)
    }

    @Test func withoutASoundServer_theItemsWaitForIt() throws {
        var world = TimerWorld()
        let id = try world.ring()
        #expect(world.refuse(id, .items, .outputUnavailable) == [])
        world.pass(30)
        #expect(world.advance() == [])
        #expect(TimerWorld.stage(world.report(.outputIsBack)) == .items)
        #expect(world.refuse(id, .items, .outputUnavailable) == [])
        world.pass(30)
        // The alarm has played nothing: music that waits for the sound server, too, goes on.
        #expect(world.advance() == [])
        #expect(world.alarm?.last?.result == .failed)
    }

    @Test func snoozeIsRefused_unlessTheAlarmRings() throws {
        var world = TimerWorld()
        let id = try world.add().id
        #expect(throws: Problem.self) { try world.snooze(id) }
        world.pass(3_600)
        _ = world.advance()
        #expect(try world.snooze(id, seconds: 60) == [.silence])
        #expect(world.alarm?.state == .snoozed && world.next == TimerWorld.seven + 60_000)
        // The snooze survives a restart.
        #expect(world.restart() == [])
        world.pass(60)
        #expect(world.advancedStage() == .items)
        #expect(world.next == nil)
    }

    @Test func snoozedAlarm_continuesWithItsItems() throws {
        var world = TimerWorld()
        let id = try world.ring()
        _ = world.perform(id, .items, items: 5..<7)
        // Twice, with a restart each time.
        for _ in 0..<2 {
            _ = try world.snooze(id, seconds: 60)
            _ = world.restart()
            world.pass(60)
            #expect(world.advancedStage() == .kept)
            #expect(world.alarm?.kept == 5..<7)
            _ = world.perform(id, .kept)
            #expect(world.alarm?.last?.result == .played)
        }
        // The queue was replaced, so the alarm starts from the beginning.
        _ = try world.snooze(id, seconds: 60)
        world.pass(60)
        #expect(world.advancedStage() == .kept)
        #expect(TimerWorld.stage(world.refuse(id, .kept, .notFound)) == .items)
    }

    @Test(arguments: [(20, true), (120, false)] as [(Double, Bool)])
    func alarmRingsAgain_whenTheServerDiesWhileItRings(seconds: Double, rings: Bool) throws {
        var world = TimerWorld()
        _ = try world.ring()
        #expect((TimerWorld.stage(world.restart(after: seconds)) != nil) == rings)
        #expect(world.alarm?.state == (rings ? .ringing : .waiting))
    }

    @Test func aPlayerHasOneSleepTimer_whichFollowsTheMonotonicClock() throws {
        var world = TimerWorld()
        let first = try world.add(.sleep(SleepTimer(end: .after(600), fade: 700)))
        let end = world.moment.monotonic.advanced(bySeconds: 600)
        #expect(first.effects == [.sleep(SleepPlan(end: .at(end), fade: 600))])
        try world.add(.sleep(SleepTimer(end: .endOfItem, fade: 0)))
        #expect(world.book.timers.count == 1 && world.book.timers[0].id != first.id && world.next == nil)
        try world.add(.sleep(SleepTimer(end: .after(600), fade: 0)))
        #expect(world.setClock(by: 3_600_000) == [])
        #expect(world.next == world.moment.wall + 600_000)
        // A restart does not change its end.
        world.pass(200)
        let rest = world.moment.monotonic.advanced(bySeconds: 400)
        #expect(world.restart() == [.sleep(SleepPlan(end: .at(rest), fade: 0))])
        world.pass(400)
        #expect(world.report(.slept) == [] && world.book.timers.isEmpty)
    }

    /// An alarm without items does not change a player that plays: only this effect ends its sleep plan.
    @Test func anAlarmCancelsTheSleepTimer_alsoInThePlayer() throws {
        var world = TimerWorld()
        try world.add(.sleep(SleepTimer(end: .after(7_200), fade: 0)))
        try world.add()
        world.pass(3_600)
        let effects = world.advance()
        #expect(effects.first == .sleep(nil) && TimerWorld.stage(effects) == .items)
        #expect(world.book.timers.count == 1)
    }

    @Test func aRestartDuringTheFade_doesNotShortenIt() throws {
        var world = TimerWorld()
        try world.add(.sleep(SleepTimer(end: .after(8), fade: 7)))
        let end = world.moment.monotonic.advanced(bySeconds: 8)
        world.pass(4)
        #expect(world.restart() == [.sleep(SleepPlan(end: .at(end), fade: 7))])
    }

    @Test func aLeaderTakesOverAFollowersSleepTimer_unlessItHasOne() throws {
        var (follower, leader) = (TimerWorld(), TimerWorld())
        try follower.add(.sleep(SleepTimer(end: .after(600), fade: 0)))
        leader.pass(100)
        let end = SleepPlan(end: .at(leader.moment.monotonic.advanced(bySeconds: 500)), fade: 0)
        leader.book.nextNumber = 7
        #expect(leader.book.take(follower.book.timers, leader.moment) == [.sleep(end)])
        #expect(leader.book.timers == follower.book.timers, "the id stays")
        let kept = leader.book.timers
        #expect(leader.book.take(follower.book.timers, leader.moment) == [] && leader.book.timers == kept)
    }

    @Test func starts_areHandedOverInTime() throws {
        var world = TimerWorld()
        let start = ScheduledStart(item: nil, position: nil, at: world.moment.wall + 60_000)
        #expect(try world.add(.start(start)).effects == [])
        world.pass(49)
        #expect(world.advance() == [])
        world.pass(1)
        let time = world.moment.monotonic.advanced(bySeconds: 10)
        guard case .start(_, time)? = world.advance().first else { return #expect(Bool(false), "not handed over") }
        #expect(world.advance() == [] && world.book.timers.count == 1)
        // This start has ended; the report of an earlier one is ignored.
        var dropped = world
        #expect(dropped.report(.startEnded(at: time.advanced(bySeconds: -1))) == [])
        #expect(dropped.book.timers.count == 1)
        #expect(dropped.report(.startEnded(at: time)) == [] && dropped.book.timers.isEmpty)
        // The player drops a start that is changed, replaced or removed.
        let later = ScheduledStart(item: nil, position: nil, at: world.moment.wall + 3_600_000)
        var patch = TimerPatch()
        patch.at = later.at
        let id = try #require(world.book.timers.first?.id)
        for edit in [TimerEdit.change(id, patch), .add(.start(later)), .remove(id)] {
            var edited = world
            #expect(try edited.book.apply(edit, edited.moment).1 == [.cancelStart])
            #expect(edited.report(.startEnded(at: time)) == [])
            #expect(edited.next == (edited.book.timers.isEmpty ? nil : later.at))
        }
        // The player waits for its output, also after a restart of the server.
        world.pass(60)
        #expect(world.advance() == [] && world.book.timers.count == 1)
        var late = world
        guard case .start(_, time)? = late.restart(after: 9).first else {
            return #expect(Bool(false), "not handed over again")
        }
        late = world
        #expect(late.restart(after: 11) == [] && late.book.timers.isEmpty)
        for at in [world.moment.wall, world.moment.wall - 1, world.moment.wall + 400 * TimerWorld.day] {
            #expect(throws: Problem.self) {
                try world.add(.start(ScheduledStart(item: nil, position: nil, at: at)))
            }
        }
    }

    @Test func tooManyTimers_tooLargeItems_andUnknownZones_areRefused() throws {
        var world = TimerWorld()
        for _ in 0..<TimerBook.maximum { try world.add() }
        var more = world
        #expect(throws: Problem.self) { try more.add() }
        var other = TimerWorld()
        var long = Alarm(Recurrence(seconds: 0, days: []))
        long.items = (0..<100).map { _ in .media(ItemDraft(uri: String(repeating: "a", count: 1_000))) }
        #expect(throws: Problem.self) { try other.add(.alarm(long)) }
        var zone = Alarm(Recurrence(seconds: 0, days: []))
        zone.timeZone = "Mars/Base"
        #expect(throws: Problem.self) { try other.add(.alarm(zone)) }
        // All alarms go off at once, and one of them rings.
        world.pass(3_600)
        #expect(world.advancedStage() == .items)
        #expect(world.book.timers.filter { $0.alarm?.state == .ringing }.count == 1)
    }
}
