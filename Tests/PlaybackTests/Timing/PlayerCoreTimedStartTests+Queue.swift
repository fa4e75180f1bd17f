// SPDX-License-Identifier: Apache-2.0

import Kernel
import Testing

@testable import Playback

/// A queue that changes, or ends, after the player has the start.
extension PlayerCoreTimedStartTests {
    /// The start has no item of its own.
    @Test func aStartOfTheCurrentItem_playsANewQueue() {
        var world = ready(["a-60"])
        let time = start(&world, in: 3)
        world.run(seconds: 1)
        world.command(.edit(.replace([ItemDraft(uri: "b-60")], startIndex: 0)))
        world.run(seconds: time.advanced(bySeconds: 0.5).seconds(since: world.now))
        #expect(world.status == .playing && world.core.current?.item.uri == "b-60")
        #expect(abs(world.position - 0.5) < 0.002 && errors(world).isEmpty && ended(world) == [time])
    }

    /// The stream runs already, with silence.
    @Test(arguments: [0.9, 0.5, 0.25])
    func aQueueThatChangesInTheSilence_startsAtTheTime(before: Double) {
        for edit in [QueueEdit.replace([ItemDraft(uri: "b-60")], startIndex: 0), .remove([ItemID(number: 1)])] {
            var world = SimulatedWorld.with(["a-60", "b-60"], play: false)
            world.model = .init(startsAfter: 0.02...0.02, jitter: 0)
            world.run(seconds: 0.5)
            let time = start(&world, in: 3)
            world.run(seconds: 3 - before)
            world.command(.edit(edit))
            world.run(seconds: before - 0.01)
            #expect(world.status != .playing && ended(world).isEmpty)
            world.run(seconds: 0.51)
            #expect(world.status == .playing && world.core.current?.item.uri == "b-60")
            #expect(abs(world.position - 0.5) < 0.003 && errors(world).isEmpty && ended(world) == [time])
        }
    }

    @Test(arguments: [PlayerCommand.next, .seek(.position(10)), .cancelStart])
    func aCommandInTheSilence_leavesThePlayerSilent(command: PlayerCommand) {
        var world = ready(["a-60", "b-60"])
        let time = start(&world, in: 3)
        world.run(seconds: 2.5)
        #expect(!world.core.snapshot().playWhenReady)
        world.command(command)
        #expect(ended(world) == [time])
        #expect(!world.run(upTo: 3) { $0.status == .playing } && world.status == .ready)
    }

    @Test func aLaterStartInTheSilence_playsAtItsTime() {
        var world = ready(["a-60"])
        _ = start(&world, in: 3)
        world.run(seconds: 2.5)
        let time = start(&world, in: 3)
        world.run(seconds: 2.99)
        #expect(world.status != .playing)
        world.run(seconds: 0.51)
        #expect(world.status == .playing && abs(world.position - 0.5) < 0.002 && ended(world) == [time])
    }

    @Test func aStartWhoseItemLeavesTheQueue_fails() throws {
        for (target, edit, code) in [
            (.index(1), QueueEdit.remove([ItemID(number: 2)]), .unknownItem), (.current, .clear, .noSuchContent),
        ] as [(PlayTarget, QueueEdit, PlaybackError.Code)] {
            var world = ready(["a-60", "b-60"])
            let time = start(&world, target, in: 3)
            world.run(seconds: 1)
            world.command(.edit(edit))
            #expect(errors(world).map(\.code) == [code] && errors(world).first == world.core.lastError)
            world.run(seconds: 3)
            #expect(ended(world) == [time] && world.status != .playing && errors(world).count == 1)
        }
    }

    /// The queue ends before the start, or a sleep timer pauses the music.
    @Test(arguments: [false, true])
    func musicThatEndsBefore_doesNotPreventTheStart(sleeps: Bool) {
        var world = SimulatedWorld.playing(["a-60", "b-60", "c-2"])
        world.command(.play(.index(sleeps ? 1 : 2)))
        #expect(world.run { $0.status == .playing })
        let time = start(&world, .index(0), in: 5)
        if sleeps { world.command(.sleep(SleepPlan(end: .at(world.now.advanced(bySeconds: 1)), fade: 0))) }
        world.run(seconds: time.advanced(bySeconds: 0.5).seconds(since: world.now))
        #expect(world.status == .playing && world.core.current?.item.uri == "a-60")
        #expect(abs(world.position - 0.5) < 0.002 && errors(world).isEmpty && ended(world) == [time])
    }

    @Test func anItemThatCannotBePlayed_isReportedOnce() {
        var world = ready(["a-60", "missing"])
        let time = start(&world, .index(1), in: 3)
        world.run(seconds: 5)
        #expect(errors(world).map(\.code) == [.notFound] && ended(world) == [time] && world.mostSpins < 5)
        #expect(world.status == .failed)
    }
}
