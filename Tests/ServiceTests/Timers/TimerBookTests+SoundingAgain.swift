// SPDX-License-Identifier: Apache-2.0

import Kernel
import Playback
import Testing

@testable import Service

/// An alarm whose sound ends while it rings.
extension TimerBookTests {
    /// An alarm of two items that sounds, heard for a moment.
    private func ringing(_ hands: inout Hands) throws -> (book: TimerBook, id: TimerID) {
        var book = self.book
        let id = try book.apply(.add(alarm()), hands.moment).id
        hands.pass(3_600)
        _ = book.advance(hands.moment)
        var heard = snapshot(.playing, true)
        heard.insertedItems = 5..<7
        _ = book.report(.taken(id, .items, .success(heard)), hands.moment)
        hands.pass(6)
        return (book, id)
    }

    @Test func heardToItsEnd_itSoundsAgain_untilSomebodyEndsIt() throws {
        var hands = Hands()
        var (book, id) = try ringing(&hands)
        for _ in 0..<3 {
            let effects = book.report(.status(.completed, .endOfQueue, item: 6, wantsSound: false), hands.moment)
            let sounding = try #require(alarm(book))
            #expect(sounding.state == .ringing)
            #expect(effects == [.soundAgain(id, sounding, .items, .item(ItemID(number: 5)))])
            #expect(book.report(.taken(id, .items, .success(snapshot(.loading, true))), hands.moment) == [])
            #expect(book.report(.status(.playing, item: 5, wantsSound: true), hands.moment) == [])
            hands.pass(6)
        }
        var stopping = book
        let next = stopping.report(.status(.stopped, .stopAfterCurrent, item: 6, wantsSound: false), hands.moment)
        #expect(next == [.soundAgain(id, try #require(alarm(book)), .items, .current)])
        // Paused, stopped, another queue.
        for report in [
            TimerReport.status(.paused, .user, item: 5, wantsSound: false),
            .status(.stopped, .user, item: 5, wantsSound: false), .status(.idle, wantsSound: false),
            .status(.playing, item: 9, wantsSound: true),
        ] {
            var ended = book
            #expect(ended.report(report, hands.moment) == [])
            #expect(ended.ring == nil && alarm(ended)?.state == .waiting && alarm(ended)?.last?.result == .played)
        }
        // An hour later, nobody is there.
        hands.pass(AlarmRing.longest)
        #expect(book.advance(hands.moment) == [] && book.ring == nil)
    }

    @Test func whatIsNotInTheQueueAnyMore_isPutThereAgain() throws {
        var hands = Hands()
        var (book, id) = try ringing(&hands)
        _ = book.report(.status(.completed, .endOfQueue, wantsSound: false), hands.moment)
        let consumed = PlaybackError(.unknownItem, "No such item is in the queue.")
        // As loud as it has become.
        let again = book.report(.taken(id, .items, .failure(consumed)), hands.moment)
        #expect(again == [.soundAgain(id, try #require(alarm(book)), .items, nil)])
        // The hour goes on from the first sound.
        hands.pass(3_000)
        var heard = snapshot(.playing, true)
        heard.insertedItems = 8..<10
        _ = book.report(.taken(id, .items, .success(heard)), hands.moment)
        hands.pass(600)
        #expect(book.advance(hands.moment) == [] && book.ring == nil)
    }

    @Test func ofTheQueueAsItIs_aNewItemIsNone() throws {
        var (book, hands) = (book, Hands())
        let id = try book.apply(.add(.alarm(Alarm(Recurrence(seconds: 7 * 3_600, days: [])))), hands.moment).id
        hands.pass(3_600)
        _ = book.advance(hands.moment)
        var heard = snapshot(.playing, true)
        heard.nextItemNumber = 9
        _ = book.report(.taken(id, .items, .success(heard)), hands.moment)
        let again = book.report(.status(.completed, .endOfQueue, item: 8, wantsSound: false), hands.moment)
        #expect(again == [.soundAgain(id, try #require(alarm(book)), .items, .index(0))])
        heard.nextItemNumber = 10
        _ = book.report(.taken(id, .items, .success(heard)), hands.moment)
        #expect(book.report(.status(.playing, item: 8, wantsSound: true), hands.moment) == [] && book.ring != nil)
        #expect(book.report(.status(.playing, item: 9, wantsSound: true), hands.moment) == [] && book.ring == nil)
    }

    @Test func theToneDoesNotStayInTheQueue() throws {
        var hands = Hands()
        let id = try #require(TimerID("t1"))
        var book = self.book
        _ = try book.apply(.add(alarm()), hands.moment)
        hands.pass(3_600)
        _ = book.advance(hands.moment)
        let gone = PlaybackError(.notFound, "It is gone.")
        #expect(stage(book.report(.taken(id, .items, .failure(gone)), hands.moment)) == .tone)
        var heard = snapshot(.playing, true)
        (heard.insertedItems, heard.queueRevision) = (5..<6, 9)
        var early = book
        #expect(try early.apply(.snooze(id, seconds: nil), hands.moment).1 == [.silence])
        #expect(early.report(.taken(id, .tone, .success(heard)), hands.moment) == [.withdraw(5..<6, 9)])
        _ = book.report(.taken(id, .tone, .success(heard)), hands.moment)
        var (snoozed, paused, another) = (book, book, book)
        #expect(try snoozed.apply(.snooze(id, seconds: nil), hands.moment).1 == [.silence, .withdraw(5..<6, 9)])
        #expect(alarm(snoozed)?.kept == nil)
        let pause = TimerReport.status(.paused, .user, item: 5, wantsSound: false)
        #expect(paused.report(pause, hands.moment) == [.withdraw(5..<6, 9)] && paused.ring == nil)
        _ = try another.apply(.add(alarm()), hands.moment)
        hands.pass(86_400)
        let effects = another.advance(hands.moment)
        #expect(effects.first == .withdraw(5..<6, 9) && stage(effects) == .items)
        // An hour of it is enough.
        #expect(book.advance(hands.moment) == [.silence, .withdraw(5..<6, 9)])
    }

    @Test func whatEndsWithoutASound_givesWay() throws {
        var (book, hands) = (book, Hands())
        let id = try book.apply(.add(alarm(fallback: "bell.mp3")), hands.moment).id
        hands.pass(3_600)
        _ = book.advance(hands.moment)
        let empty = snapshot(.completed, false)
        #expect(stage(book.report(.taken(id, .items, .success(empty)), hands.moment)) == .fallback)
    }
}
