// SPDX-License-Identifier: Apache-2.0

import Playback
import Testing

@testable import Service

/// Changes of the wall clock.
extension TimerBookTests {
    @Test(arguments: [(60, true), (90, false)] as [(Int64, Bool)])
    func clockSetForward_ringsOrMissesTheAlarm(minutes: Int64, rings: Bool) throws {
        var world = TimerWorld()
        try world.add(TimerWorld.alarm([.wed]))
        #expect((TimerWorld.stage(world.setClock(by: minutes * 60_000)) != nil) == rings)
        #expect(world.next == TimerWorld.seven + 7 * TimerWorld.day)
    }

    @Test func clockSetBack_ringsNoAlarmTwiceADay() throws {
        var world = TimerWorld()
        try world.add(TimerWorld.alarm(Set(Weekday.allCases)))
        world.pass(3_600)
        #expect(world.advancedStage() == .items)
        #expect(world.setClock(by: -600_000) == [])
        #expect(world.next == TimerWorld.seven + TimerWorld.day)
        // An alarm that has not rung waits for its time.
        var other = TimerWorld()
        try other.add(TimerWorld.alarm([.wed]))
        _ = other.setClock(by: -3_600_000)
        #expect(other.next == TimerWorld.seven)
    }

    /// The clock is ahead for a moment, as on a machine that gets its time over the network.
    @Test(arguments: [[], Set(Weekday.allCases)])
    func alarmMissedByAWrongClock_ringsAtItsTime(days: Set<Weekday>) throws {
        var world = TimerWorld()
        try world.add(TimerWorld.alarm(days))
        #expect(world.setClock(by: 7_200_000) == [])
        #expect(world.alarm?.last?.result == .missed)
        #expect(world.setClock(by: -7_200_000) == [])
        #expect(world.alarm?.isEnabled == true && world.alarm?.last == nil && world.next == TimerWorld.seven)
        world.pass(3_600)
        #expect(world.advancedStage() == .items)
    }

    @Test(arguments: [-3_600_000, 3_600_000])
    func snooze_keepsItsDuration_whenTheClockIsSet(jump: Int64) throws {
        var world = TimerWorld()
        let id = try world.ring()
        _ = try world.snooze(id, seconds: 60)
        #expect(world.setClock(by: jump) == [])
        #expect(world.alarm?.state == .snoozed && world.next == TimerWorld.seven + 60_000 + jump)
        world.pass(60)
        #expect(world.advancedStage() == .items)
    }

    /// A start that the player counts down. A restart of the server does not play it again.
    @Test(arguments: [-3_600_000, 3_600_000])
    func handedOverStart_keepsItsDuration_whenTheClockIsSet(jump: Int64) throws {
        var world = TimerWorld()
        var start = ScheduledStart(item: nil, position: nil, at: world.moment.wall + 5_000)
        let time = world.moment.monotonic.advanced(bySeconds: 5)
        try world.add(.start(start))
        start.handedOver = time
        #expect(world.setClock(by: jump) == [])
        #expect(world.next == start.at + jump)
        var restored = TimerNote.book(TimerNote.text(world.book))
        #expect(restored.resume(world.moment) == [.start(start, time)])
        var dropped = world
        #expect(dropped.report(.startEnded(at: time)) == [] && dropped.book.timers.isEmpty)
        restored = TimerNote.book(TimerNote.text(dropped.book))
        #expect(restored.resume(dropped.moment) == [])
        world.pass(66)
        #expect(world.advance() == [] && world.book.timers.isEmpty)
    }
}
