// SPDX-License-Identifier: Apache-2.0

import Playback
import Testing

@testable import Service

/// Timers while somebody sets the wall's clock.
extension TimerBookTests {
    @Test func aClockThatIsSetForward_bringsItAboutOrMissesIt() throws {
        for (minutes, rings) in [(60, true), (90, false)] {
            var (book, hands) = (book, Hands())
            _ = try book.apply(.add(alarm([.wed])), hands.moment)
            hands.moment.wall += Int64(minutes) * 60_000
            let effects = book.clockWasSet(by: Int64(minutes) * 60_000, hands.moment)
            #expect((stage(effects) != nil) == rings)
            #expect(book.timers[0].next == Self.seven + 7 * 86_400_000)
        }
    }

    @Test func aClockThatIsSetBack_doesNotRingTwiceADay() throws {
        var (book, hands) = (book, Hands())
        _ = try book.apply(.add(alarm(Set(Weekday.allCases))), hands.moment)
        hands.pass(3_600)
        #expect(stage(book.advance(hands.moment)) == .items)
        hands.moment.wall -= 600_000
        #expect(book.clockWasSet(by: -600_000, hands.moment) == [])
        #expect(book.timers[0].next == Self.seven + 86_400_000)
        // Before it had rung, it waits for its time.
        var other = self.book
        hands = Hands()
        _ = try other.apply(.add(alarm([.wed])), hands.moment)
        hands.moment.wall -= 3_600_000
        _ = other.clockWasSet(by: -3_600_000, hands.moment)
        #expect(other.timers[0].next == Self.seven)
    }

    /// Ahead for a moment, as on a machine whose clock is set over the network.
    @Test(arguments: [[], Set(Weekday.allCases)])
    func whatWasMissedByAWrongClock_ringsAtItsTime(days: Set<Weekday>) throws {
        var (book, hands) = (book, Hands())
        _ = try book.apply(.add(alarm(days)), hands.moment)
        hands.moment.wall += 7_200_000
        #expect(book.clockWasSet(by: 7_200_000, hands.moment) == [])
        #expect(alarm(book)?.last?.result == .missed)
        hands.moment.wall -= 7_200_000
        #expect(book.clockWasSet(by: -7_200_000, hands.moment) == [])
        #expect(alarm(book)?.isEnabled == true && alarm(book)?.last == nil && book.timers[0].next == Self.seven)
        hands.pass(3_600)
        #expect(stage(book.advance(hands.moment)) == .items)
    }

    @Test(arguments: [-3_600_000, 3_600_000])
    func snoozed_itKeepsItsTime_whenTheClockIsSet(jump: Int64) throws {
        var (book, hands) = (book, Hands())
        let id = try book.apply(.add(alarm()), hands.moment).id
        hands.pass(3_600)
        _ = book.advance(hands.moment)
        _ = try book.apply(.snooze(id, seconds: 60), hands.moment)
        hands.moment.wall += jump
        #expect(book.clockWasSet(by: jump, hands.moment) == [])
        #expect(alarm(book)?.state == .snoozed && book.timers[0].next == Self.seven + 60_000 + jump)
        hands.pass(60)
        #expect(stage(book.advance(hands.moment)) == .items)
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
