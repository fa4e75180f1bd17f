// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Playback

/// An item is removed after it was played, as in MPD.
@Suite struct PlayerCoreConsumeTests {
    @Test func keepsUnheardItems_whenConsuming() {
        var world = SimulatedWorld.with(["a-1", "b-1", "c-1"], play: false)
        world.apply { $0.consume = true }
        world.command(.next)
        world.command(.play(.index(2)))
        #expect(world.run { $0.status == .playing })
        #expect(world.core.queue.count == 3)
        #expect(world.run { $0.core.queue.count == 2 })
        #expect((0..<2).map { world.core.queue[$0].uri } == ["a-1", "b-1"])
        #expect(world.status == .completed)
    }

    @Test func theLastOneIsConsumedToo_whenAllAreRepeated() {
        var world = SimulatedWorld.with(["a-1", "b-1"], play: false)
        world.apply { ($0.consume, $0.repeats) = (true, .all) }
        world.command(.play(.index(0)))
        #expect(world.run { $0.status == .completed })
        #expect(world.run(upTo: 1) { $0.core.queue.count == 0 })
    }

    /// It was heard before the stop, or before `consume` was switched on at the end of the queue.
    @Test(arguments: [PlayTarget.current, .index(0)], [false, true])
    func anItemThatWasHeardBefore_stays(target: PlayTarget, isStopped: Bool) {
        var world = SimulatedWorld.playing(["a-1", "b-1"])
        world.run(seconds: 0.5)
        if isStopped { world.command(.stop(drain: false)) }
        #expect(world.run { $0.status == (isStopped ? .stopped : .completed) })
        world.apply { $0.consume = true }
        world.command(.play(target))
        #expect(world.run { $0.status == .playing })
        world.run(seconds: 0.3)
        #expect(world.core.queue.count == 2 && world.status == .playing)
        #expect(world.run { $0.status == .completed })
        world.run(seconds: 0.1)
        #expect(world.core.queue.count == (target == .current && !isStopped ? 1 : 0))
    }

    /// The item waits to be heard again.
    @Test func anItemThatRepeats_stays_whenTheSleepTimerEndsIt() {
        var world = SimulatedWorld.playing(["a-2", "b-2"])
        world.apply { ($0.consume, $0.repeats) = (true, .one) }
        world.command(.sleep(SleepPlan(end: .endOfItem, fade: 0)))
        world.run(seconds: 3)
        #expect(world.status == .paused && world.core.reason == .sleepTimer)
        #expect(world.core.queue.count == 2 && world.core.queue.current?.uri == "a-2")
    }
}
