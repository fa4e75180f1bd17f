// SPDX-License-Identifier: Apache-2.0

import Playback
import Testing

@testable import Service

/// An alarm whose items end while it rings.
extension TimerBookTests {
    /// An alarm with two items that has been heard for a moment.
    private func ringing() throws -> (world: TimerWorld, id: TimerID) {
        var world = TimerWorld()
        let id = try world.ring()
        _ = world.perform(id, .items, items: 5..<7)
        world.pass(6)
        return (world, id)
    }

    @Test func itemsAreRepeated_untilTheAlarmIsEnded() throws {
        var (world, id) = try ringing()
        for _ in 0..<3 {
            let effects = world.report(.status(.completed, .endOfQueue, item: 6, wantsSound: false))
            let sounding = try #require(world.alarm)
            #expect(sounding.state == .ringing)
            #expect(effects == [.soundAgain(id, sounding, .items, .item(ItemID(number: 5)))])
            #expect(world.perform(id, .items, .loading) == [])
            #expect(world.report(.status(.playing, item: 5, wantsSound: true)) == [])
            world.pass(6)
        }
        var stopping = world
        let next = stopping.report(.status(.stopped, .stopAfterCurrent, item: 6, wantsSound: false))
        #expect(next == [.soundAgain(id, try #require(world.alarm), .items, .current)])
        // Paused, stopped, another queue.
        for report in [
            TimerReport.status(.paused, .user, item: 5, wantsSound: false),
            .status(.stopped, .user, item: 5, wantsSound: false), .status(.idle, wantsSound: false),
            .status(.playing, item: 9, wantsSound: true),
        ] {
            var ended = world
            #expect(ended.report(report) == [])
            #expect(ended.book.ring == nil && ended.alarm?.state == .waiting && ended.alarm?.last?.result == .played)
        }
        // The alarm ends by itself after an hour.
        world.pass(AlarmRing.longest)
        #expect(world.advance() == [] && world.book.ring == nil)
    }

    @Test func itemsThatLeftTheQueue_areInsertedAgain() throws {
        var (world, id) = try ringing()
        _ = world.report(.status(.completed, .endOfQueue, wantsSound: false))
        // The volume stays.
        let again = world.refuse(id, .items, .unknownItem)
        #expect(again == [.soundAgain(id, try #require(world.alarm), .items, nil)])
        // The hour counts from the first sound.
        world.pass(3_000)
        _ = world.perform(id, .items, items: 8..<10)
        world.pass(600)
        #expect(world.advance() == [] && world.book.ring == nil)
    }

    @Test func anItemAddedToThePresentQueue_endsTheAlarm() throws {
        var world = TimerWorld()
        let id = try world.ring(.alarm(Alarm(Recurrence(seconds: 7 * 3_600, days: []))))
        _ = world.perform(id, .items, nextItemNumber: 9)
        let again = world.report(.status(.completed, .endOfQueue, item: 8, wantsSound: false))
        #expect(again == [.soundAgain(id, try #require(world.alarm), .items, .index(0))])
        _ = world.perform(id, .items, nextItemNumber: 10)
        #expect(world.report(.status(.playing, item: 8, wantsSound: true)) == [] && world.book.ring != nil)
        #expect(world.report(.status(.playing, item: 9, wantsSound: true)) == [] && world.book.ring == nil)
    }

    @Test func theTone_doesNotStayInTheQueue() throws {
        var world = TimerWorld()
        let id = try world.ring()
        #expect(TimerWorld.stage(world.refuse(id, .items, .notFound)) == .tone)
        var early = world
        #expect(try early.snooze(id) == [.silence])
        #expect(early.perform(id, .tone, items: 5..<6, revision: 9) == [.withdraw(5..<6, 9)])
        _ = world.perform(id, .tone, items: 5..<6, revision: 9)
        var (snoozed, paused, another) = (world, world, world)
        #expect(try snoozed.snooze(id) == [.silence, .withdraw(5..<6, 9)])
        #expect(snoozed.alarm?.kept == nil)
        let pause = TimerReport.status(.paused, .user, item: 5, wantsSound: false)
        #expect(paused.report(pause) == [.withdraw(5..<6, 9)] && paused.book.ring == nil)
        try another.add()
        another.pass(86_400)
        let effects = another.advance()
        #expect(effects.first == .withdraw(5..<6, 9) && TimerWorld.stage(effects) == .items)
        // After an hour the tone stops.
        world.pass(86_400)
        #expect(world.advance() == [.silence, .withdraw(5..<6, 9)])
    }

    /// The disk hangs.
    @Test func aToneThatCannotBeQueued_isReplacedByThePresentQueue() throws {
        var world = TimerWorld()
        let id = try world.ring()
        #expect(TimerWorld.stage(world.refuse(id, .items, .notSaved)) == .tone)
        #expect(TimerWorld.stage(world.refuse(id, .tone, .notSaved)) == .queue)
        var empty = world
        #expect(empty.refuse(id, .queue, .noSuchContent) == [] && empty.alarm?.last?.result == .failed)
        #expect(world.perform(id, .queue, nextItemNumber: 5) == [] && world.alarm?.last?.result == .tone)
        // It plays on, as other music.
        world.pass(AlarmRing.longest)
        #expect(world.advance() == [] && world.book.ring == nil)
    }

    @Test func aToneThatIsQueuedButNotHeard_isTheLastStage() throws {
        var world = TimerWorld()
        let id = try world.ring()
        _ = world.refuse(id, .items, .notFound)
        _ = world.perform(id, .tone, .loading, items: 5..<6, revision: 9)
        world.pass(10)
        #expect(world.advance() == [.silence, .withdraw(5..<6, 9)] && world.alarm?.last?.result == .failed)
    }

    @Test func itemsThatEndWithoutSound_areReplacedByTheFallback() throws {
        var world = TimerWorld()
        let id = try world.ring(TimerWorld.alarm(fallback: "bell.mp3"))
        #expect(TimerWorld.stage(world.perform(id, .items, .completed, wantsSound: false)) == .fallback)
    }

    /// A call, and a sink that is away. The player resumes the items itself.
    @Test(arguments: [(.interruption, 3_600), (.outputSuspended, 60)] as [(StatusReason, Double)])
    func interruptedItems_areWaitedFor(reason: StatusReason, longest: Double) throws {
        var world = TimerWorld()
        let id = try world.ring(TimerWorld.alarm(fallback: "bell.mp3"))
        #expect(world.perform(id, .items, .loading) == [])
        #expect(world.report(.status(.interrupted, reason, wantsSound: true)) == [])
        world.pass(30)
        #expect(world.advance() == [] && world.report(.outputIsBack) == [])
        var (resumed, silent) = (world, world)
        #expect(resumed.report(.status(.playing, wantsSound: true)) == [])
        #expect(resumed.alarm?.last?.result == .played)
        #expect(silent.report(.status(.buffering, wantsSound: true)) == [])
        silent.pass(10)
        #expect(silent.advancedStage() == .fallback)
        // The items are at fault, or the player does not resume.
        var (failed, paused) = (world, world)
        #expect(TimerWorld.stage(failed.report(.status(.failed, .network, wantsSound: false))) == .fallback)
        #expect(TimerWorld.stage(paused.report(.status(.paused, .interruptionEnded, wantsSound: false))) == .items)
        world.pass(longest)
        #expect(world.advance() == [.silence] && world.alarm?.last?.result == .failed)
    }

    /// The headphones were unplugged, with each policy.
    @Test(arguments: [(.paused, false), (.interrupted, true)] as [(PlayerStatus, Bool)])
    func anAlarmThatLosesItsHeadphones_soundsElsewhere_unlessItWasHeard(status: PlayerStatus, wantsSound: Bool) throws {
        var world = TimerWorld()
        let id = try world.ring(TimerWorld.alarm(fallback: "bell.mp3"))
        _ = world.perform(id, .items, .loading)
        var heard = world
        let lost = TimerReport.status(status, .routeLost, wantsSound: wantsSound)
        #expect(TimerWorld.stage(world.report(lost)) == .items)
        world.pass(10)
        #expect(world.advancedStage() == .fallback)
        _ = heard.report(.status(.playing, wantsSound: true))
        #expect(heard.report(lost) == [] && (heard.book.ring == nil) == !wantsSound)
    }

    @Test func aSnoozeEnds_onlyWhenTheTimeChanges() throws {
        var world = TimerWorld()
        let id = try world.ring()
        _ = try world.snooze(id, seconds: 60)
        let next = world.next
        var patch = TimerPatch()
        patch.level = 0.2
        _ = try world.book.apply(.change(id, patch), world.moment)
        #expect(world.alarm?.state == .snoozed && world.alarm?.level == 0.2 && world.next == next)
        patch.seconds = 8 * 3_600
        _ = try world.book.apply(.change(id, patch), world.moment)
        #expect(world.alarm?.state == .waiting && world.next != next)
    }
}
