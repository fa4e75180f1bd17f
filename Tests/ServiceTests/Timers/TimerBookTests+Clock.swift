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

    /// The player starts at the moment that it was given: the timer ends with it, and a restart does not play again.
    @Test(arguments: [-3_600_000, 3_600_000])
    func aStartThePlayerHas_keepsItsMoment_whenTheClockIsSet(jump: Int64) throws {
        var (book, hands) = (book, Hands())
        let start = ScheduledStart(item: nil, position: nil, at: hands.moment.wall + 5_000)
        _ = try book.apply(.add(.start(start)), hands.moment)
        let time = hands.moment.monotonic.advanced(bySeconds: 5)
        hands.moment.wall += jump
        #expect(book.clockWasSet(by: jump, hands.moment) == [])
        #expect(book.due.wall == start.at + jump)
        var restored = TimerNote.book(TimerNote.text(book))
        var handedOver = start
        handedOver.isHandedOver = true
        #expect(restored.resume(hands.moment) == [.start(handedOver, time)])
        var dropped = book
        _ = dropped.report(.startDropped(at: time), hands.moment)
        #expect(dropped.timers.isEmpty)
        hands.pass(5)
        #expect(book.advance(hands.moment) == [] && book.timers.isEmpty)
        restored = TimerNote.book(TimerNote.text(book))
        #expect(restored.resume(hands.moment) == [])
    }
}
