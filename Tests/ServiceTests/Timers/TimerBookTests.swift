// SPDX-License-Identifier: Apache-2.0

import Kernel
import Playback
import Testing

@testable import Service

@Suite struct TimerBookTests {
    /// 1 July 2026, 05:00 UTC: 07:00 in Berlin.
    static let seven: Int64 = 1_782_882_000_000
    private let berlin = ZoneRules(changes: [], first: 0, rest: ZoneRule("CET-1CEST,M3.5.0,M10.5.0/3"))

    /// Both clocks, moved by hand.
    struct Hands {
        var moment = TimerMoment(
            wall: TimerBookTests.seven - 3_600_000, monotonic: MonotonicTime(nanoseconds: 1_000_000_000))

        mutating func pass(_ seconds: Double) {
            moment.wall += Int64((seconds * 1_000).rounded())
            moment.monotonic = moment.monotonic.advanced(bySeconds: seconds)
        }
    }

    var book: TimerBook {
        var book = TimerBook()
        book.zone = { [berlin] name in name == nil || name == "Europe/Berlin" ? berlin : nil }
        return book
    }

    func alarm(_ days: Set<Weekday> = [], fallback: String? = nil) -> PlayerTimer.Kind {
        var alarm = Alarm(Recurrence(seconds: 7 * 3_600, days: days))
        (alarm.items, alarm.fallback) = ([.media(ItemDraft(uri: "a.mp3"))], fallback)
        return .alarm(alarm)
    }

    func alarm(_ book: TimerBook, _ index: Int = 0) -> Alarm? {
        if case .alarm(let alarm)? = book.timers.dropFirst(index).first?.kind { alarm } else { nil }
    }

    func stage(_ effects: [TimerBook.Effect]) -> AlarmRing.Stage? {
        effects.compactMap { if case .sound(_, _, let stage) = $0 { stage } else { nil } }.last
    }

    func snapshot(_ status: PlayerStatus, _ wantsSound: Bool) -> PlayerSnapshot {
        var snapshot = PlayerSnapshot()
        (snapshot.status, snapshot.playWhenReady) = (status, wantsSound)
        return snapshot
    }

    @Test func isDueAtItsTime_andNotBefore() throws {
        var (book, hands) = (book, Hands())
        _ = try book.apply(.add(alarm()), hands.moment)
        #expect(book.timers[0].next == Self.seven && book.due.wall == Self.seven)
        hands.pass(3_599.9)
        #expect(book.advance(hands.moment) == [])
        hands.pass(0.1)
        #expect(stage(book.advance(hands.moment)) == .items)
        #expect(alarm(book)?.state == .ringing && alarm(book)?.isEnabled == false && book.timers[0].next == nil)
        #expect(book.advance(hands.moment) == [])
    }

    @Test func ofTwoAtOneTime_theLastOneSounds_andTheOtherIsReplaced() throws {
        var (book, hands) = (book, Hands())
        for _ in 0..<2 { _ = try book.apply(.add(alarm()), hands.moment) }
        hands.pass(3_600)
        #expect(stage(book.advance(hands.moment)) == .items)
        #expect(alarm(book, 0)?.last?.result == .replaced && alarm(book, 0)?.state == .waiting)
        #expect(alarm(book, 1)?.last?.result == nil && alarm(book, 1)?.state == .ringing)
    }

    @Test func repeatsOnItsDays() throws {
        var (book, hands) = (book, Hands())
        _ = try book.apply(.add(alarm([.wed])), hands.moment)
        hands.pass(3_600)
        #expect(stage(book.advance(hands.moment)) == .items)
        #expect(book.timers[0].next == Self.seven + 7 * 86_400_000 && alarm(book)?.isEnabled == true)
    }

    @Test func aLaterTimeOfTheSameDay_ringsAgainThatDay() throws {
        for days in [[], Set(Weekday.allCases)] {
            var (book, hands) = (book, Hands())
            _ = try book.apply(.add(alarm(days)), hands.moment)
            hands.pass(3_600)
            #expect(stage(book.advance(hands.moment)) == .items)
            var patch = TimerPatch()
            (patch.seconds, patch.isEnabled) = (8 * 3_600, true)
            _ = try book.apply(.change(book.timers[0].id, patch), hands.moment)
            #expect(book.timers[0].next == Self.seven + 3_600_000)
        }
    }

    @Test func isMissed_whenTheServerWasOff() throws {
        for (late, rings) in [(59.0, true), (61, false), (86_400 * 9, false)] {
            var (book, hands) = (book, Hands())
            _ = try book.apply(.add(alarm()), hands.moment)
            var restored = TimerNote.book(TimerNote.text(book))
            restored.zone = book.zone
            hands.pass(3_600 + late)
            let effects = restored.resume(hands.moment)
            #expect((stage(effects) != nil) == rings, "\(late)")
            #expect(alarm(restored)?.isEnabled == false)
            #expect(alarm(restored)?.last?.result == (rings ? nil : .missed))
            #expect(alarm(restored)?.last?.at == Self.seven)
        }
    }

    @Test func whatDoesNotSound_givesWay() throws {
        var (book, hands) = (book, Hands())
        let id = try book.apply(.add(alarm(fallback: "bell.mp3")), hands.moment).id
        hands.pass(3_600)
        _ = book.advance(hands.moment)
        // A server that does not answer.
        #expect(book.report(.taken(id, .items, .success(snapshot(.loading, true))), hands.moment) == [])
        #expect(alarm(book)?.last == Alarm.Outcome(at: Self.seven))
        var restored = TimerNote.book(TimerNote.text(book))
        #expect(alarm(restored)?.last == Alarm.Outcome(at: Self.seven))
        var later = hands
        later.pass(120)
        _ = restored.resume(later.moment)
        #expect(alarm(restored)?.last?.result == .failed)
        var stopped = book
        _ = stopped.report(.status(.paused, wantsSound: false), hands.moment)
        #expect(alarm(stopped)?.last?.result == .failed)
        hands.pass(10)
        #expect(stage(book.advance(hands.moment)) == .fallback)
        // A file that is not there.
        let missing = PlaybackError(.notFound, "not there")
        #expect(stage(book.report(.taken(id, .fallback, .failure(missing)), hands.moment)) == .tone)
        #expect(book.report(.taken(id, .tone, .success(snapshot(.playing, true))), hands.moment) == [])
        #expect(alarm(book)?.last?.result == .tone && alarm(book)?.state == .ringing)
        #expect(book.report(.status(.paused, wantsSound: false), hands.moment) == [])
        #expect(alarm(book)?.state == .waiting && book.ring == nil)
    }

    @Test func withoutAFallback_theToneSounds() throws {
        var (book, hands) = (book, Hands())
        let id = try book.apply(.add(alarm()), hands.moment).id
        hands.pass(3_600)
        _ = book.advance(hands.moment)
        #expect(stage(book.report(.taken(id, .items, .success(snapshot(.failed, false))), hands.moment)) == .tone)
    }

    @Test func whatBreaksOffLater_givesWayAsWell() throws {
        var (book, hands) = (book, Hands())
        let id = try book.apply(.add(alarm()), hands.moment).id
        hands.pass(3_600)
        _ = book.advance(hands.moment)
        _ = book.report(.taken(id, .items, .success(snapshot(.playing, true))), hands.moment)
        hands.pass(300)
        #expect(stage(book.report(.status(.failed, wantsSound: false), hands.moment)) == .tone)
    }

    @Test func withoutASoundServer_itsItemsWaitForOne() throws {
        var (book, hands) = (book, Hands())
        let id = try book.apply(.add(alarm()), hands.moment).id
        hands.pass(3_600)
        _ = book.advance(hands.moment)
        let away = PlaybackError(.outputUnavailable, "away")
        #expect(book.report(.taken(id, .items, .failure(away)), hands.moment) == [])
        hands.pass(30)
        #expect(book.advance(hands.moment) == [])
        #expect(stage(book.report(.outputIsBack, hands.moment)) == .items)
        #expect(book.report(.taken(id, .items, .failure(away)), hands.moment) == [])
        hands.pass(30)
        #expect(book.advance(hands.moment) == [.silence])
        #expect(alarm(book)?.last?.result == .failed)
    }

    @Test func snoozes_onlyWhileItRings() throws {
        var (book, hands) = (book, Hands())
        let id = try book.apply(.add(alarm()), hands.moment).id
        #expect(throws: Problem.self) { try book.apply(.snooze(id, seconds: nil), hands.moment) }
        hands.pass(3_600)
        _ = book.advance(hands.moment)
        let effects = try book.apply(.snooze(id, seconds: 60), hands.moment).1
        #expect(effects == [.silence] && alarm(book)?.state == .snoozed && book.timers[0].next == Self.seven + 60_000)
        // Also through a restart.
        var restored = TimerNote.book(TimerNote.text(book))
        restored.zone = book.zone
        #expect(restored.resume(hands.moment) == [])
        hands.pass(60)
        #expect(stage(restored.advance(hands.moment)) == .items)
        #expect(restored.timers[0].next == nil)
    }

    @Test func snoozed_itGoesOnWithWhatItHad() throws {
        var (book, hands) = (book, Hands())
        let id = try book.apply(.add(alarm()), hands.moment).id
        hands.pass(3_600)
        _ = book.advance(hands.moment)
        var heard = snapshot(.playing, true)
        heard.insertedItems = 5..<7
        _ = book.report(.taken(id, .items, .success(heard)), hands.moment)
        // Twice, and through a restart.
        for _ in 0..<2 {
            _ = try book.apply(.snooze(id, seconds: 60), hands.moment)
            var restored = TimerNote.book(TimerNote.text(book))
            restored.zone = book.zone
            book = restored
            _ = book.resume(hands.moment)
            hands.pass(60)
            let effects = book.advance(hands.moment)
            #expect(stage(effects) == .kept)
            #expect(alarm(book)?.kept == 5..<7)
            _ = book.report(.taken(id, .kept, .success(snapshot(.playing, true))), hands.moment)
            #expect(alarm(book)?.last?.result == .played)
        }
        // Somebody has replaced the queue: it begins anew.
        _ = try book.apply(.snooze(id, seconds: 60), hands.moment)
        hands.pass(60)
        #expect(stage(book.advance(hands.moment)) == .kept)
        let gone = PlaybackError(.notFound, "another queue")
        #expect(stage(book.report(.taken(id, .kept, .failure(gone)), hands.moment)) == .items)
    }

    @Test func killedWhileItRings_itRingsAgain() throws {
        for (seconds, rings) in [(20.0, true), (120, false)] {
            var (book, hands) = (book, Hands())
            _ = try book.apply(.add(alarm()), hands.moment)
            hands.pass(3_600)
            _ = book.advance(hands.moment)
            var restored = TimerNote.book(TimerNote.text(book))
            restored.zone = book.zone
            hands.pass(seconds)
            #expect((stage(restored.resume(hands.moment)) != nil) == rings)
            #expect(alarm(restored)?.state == (rings ? .ringing : .waiting))
        }
    }

    @Test func sleepTimers_areOneAPlayer_andGoByTheSteadyClock() throws {
        var (book, hands) = (book, Hands())
        let first = try book.apply(.add(.sleep(SleepTimer(end: .after(600), fade: 700))), hands.moment)
        let end = hands.moment.monotonic.advanced(bySeconds: 600)
        #expect(first.1 == [.sleep(SleepPlan(end: .at(end), fade: 600))])
        _ = try book.apply(.add(.sleep(SleepTimer(end: .endOfItem, fade: 0))), hands.moment)
        #expect(book.timers.count == 1 && book.timers[0].id != first.id && book.timers[0].next == nil)
        _ = try book.apply(.add(.sleep(SleepTimer(end: .after(600), fade: 0))), hands.moment)
        hands.moment.wall += 3_600_000
        #expect(book.clockWasSet(by: 3_600_000, hands.moment) == [])
        #expect(book.timers[0].next == hands.moment.wall + 600_000)
        // Through a restart it ends when it was to end.
        hands.pass(200)
        var restored = TimerNote.book(TimerNote.text(book))
        let rest = hands.moment.monotonic.advanced(bySeconds: 400)
        #expect(restored.resume(hands.moment) == [.sleep(SleepPlan(end: .at(rest), fade: 0))])
        hands.pass(400)
        #expect(restored.report(.slept, hands.moment) == [] && restored.timers.isEmpty)
    }

    /// Not as if it had begun with the start.
    @Test func aFadeThatARestartInterrupts_isAsLongAsItWas() throws {
        var (book, hands) = (book, Hands())
        _ = try book.apply(.add(.sleep(SleepTimer(end: .after(8), fade: 7))), hands.moment)
        let end = hands.moment.monotonic.advanced(bySeconds: 8)
        hands.pass(4)
        var restored = TimerNote.book(TimerNote.text(book))
        #expect(restored.resume(hands.moment) == [.sleep(SleepPlan(end: .at(end), fade: 7))])
    }

    /// A group sleeps as its leader does.
    @Test func aFollowersSleepTimer_isItsLeaders_unlessThatHasOne() throws {
        var (follower, leader, hands) = (book, book, Hands())
        _ = try follower.apply(.add(.sleep(SleepTimer(end: .after(600), fade: 0))), hands.moment)
        hands.pass(100)
        let end = SleepPlan(end: .at(hands.moment.monotonic.advanced(bySeconds: 500)), fade: 0)
        leader.nextNumber = 7
        #expect(leader.take(follower.timers, hands.moment) == [.sleep(end)])
        #expect(leader.timers == follower.timers, "its id is the same")
        let kept = leader.timers
        #expect(leader.take(follower.timers, hands.moment) == [] && leader.timers == kept)
    }

    @Test func starts_areHandedOverInTime() throws {
        var (book, hands) = (book, Hands())
        let start = ScheduledStart(item: nil, position: nil, at: hands.moment.wall + 60_000)
        #expect(try book.apply(.add(.start(start)), hands.moment).1 == [])
        hands.pass(49)
        #expect(book.advance(hands.moment) == [])
        hands.pass(1)
        let time = hands.moment.monotonic.advanced(bySeconds: 10)
        guard case .start(_, time)? = book.advance(hands.moment).first else {
            Issue.record("not handed over")
            return
        }
        #expect(book.advance(hands.moment) == [] && book.timers.count == 1)
        // Another command took that start back, not an earlier one.
        var dropped = book
        #expect(dropped.report(.startDropped(at: time.advanced(bySeconds: -1)), hands.moment) == [])
        #expect(dropped.timers.count == 1)
        #expect(dropped.report(.startDropped(at: time), hands.moment) == [] && dropped.timers.isEmpty)
        hands.pass(10)
        #expect(book.advance(hands.moment) == [] && book.timers.isEmpty)
        for at in [hands.moment.wall, hands.moment.wall - 1, hands.moment.wall + 400 * 86_400_000] {
            #expect(throws: Problem.self) {
                try book.apply(.add(.start(ScheduledStart(item: nil, position: nil, at: at))), hands.moment)
            }
        }
    }

    @Test func whatIsTooMuch_isRefusedAndChangesNothing() throws {
        var (book, hands) = (book, Hands())
        for _ in 0..<TimerBook.maximum { _ = try book.apply(.add(alarm()), hands.moment) }
        var more = book
        #expect(throws: Problem.self) { try more.apply(.add(alarm()), hands.moment) }
        var long = Alarm(Recurrence(seconds: 0, days: []))
        long.items = (0..<100).map { _ in .media(ItemDraft(uri: String(repeating: "a", count: 1_000))) }
        var other = self.book
        #expect(throws: Problem.self) {
            try other.apply(.add(.alarm(long)), hands.moment)
        }
        var zone = Alarm(Recurrence(seconds: 0, days: []))
        zone.timeZone = "Mars/Base"
        #expect(throws: Problem.self) { try other.apply(.add(.alarm(zone)), hands.moment) }
        // All of them at once are one after another: the last one sounds.
        hands.pass(3_600)
        #expect(stage(book.advance(hands.moment)) == .items)
        #expect(
            book.timers.filter { if case .alarm(let alarm) = $0.kind { alarm.state == .ringing } else { false } }.count
                == 1)
    }

    @Test func whatASavedTimerIs_stays() {
        let alarm = """
            {"recurrence":{"seconds":25200,"days":["mon"]},"items":[{"media":{"_0":{"uri":"a.mp3","beginTime":0,"loops":0,"headers":{},\
            "reach":"anywhere"}}},{"several":{"member":"folder","id":"b"}}],"level":0.4,"ramp":30,"snooze":540,"isEnabled":true,\
            "state":"waiting"}
            """
        let kinds = [
            "alarm": alarm, "sleep": #"{"end":{"after":{"_0":60}},"fade":5}"#, "start": #"{"at":1000,"position":2.5}"#,
        ]
        for (name, kind) in kinds {
            let book = TimerNote.book(
                #"{"next":3,"timers":[{"id":{"number":1},"kind":{"\#(name)":{"_0":\#(kind)}},"next":1}]}"#)
            #expect(book.timers.count == 1 && book.nextNumber == 3, "\(name)")
        }
    }

    @Test func whatWasSavedAtFirst_isRead_andOneDamagedTimerTakesNoOtherWithIt() throws {
        let text = """
            {"next":5,"timers":[{"id":4,"type":"alarm","seconds":25200,"days":["mon"],"items":[{"uri":"a.mp3","reach":"anywhere"}],\
            "level":0.5,"ramp":10,"fallback":"b.mp3","enabled":true,"next":7},{"id":2,"type":"x"},{"id":{"number":3},"kind":{}},\
            {"id":1,"type":"alarm","seconds":86400,"enabled":true}]}
            """
        let book = TimerNote.book(text)
        #expect(book.nextNumber == 5 && book.timers.map(\.id.number) == [4])
        let alarm = try #require(self.alarm(book))
        #expect(alarm.recurrence == Recurrence(seconds: 25_200, days: [.mon]) && alarm.isEnabled && alarm.level == 0.5)
        #expect(alarm.items == [.media(ItemDraft(uri: "a.mp3", reach: .anywhere))] && alarm.fallback == "b.mp3")
    }

    @Test func aDamagedNoteIsNone() {
        for text in ["", "{", "{\"next\":1,\"timers\":[{\"id\":1,\"type\":\"alarm\"},{\"id\":2,\"type\":\"x\"}]}"] {
            #expect(TimerNote.book(text).timers.isEmpty)
        }
    }
}
