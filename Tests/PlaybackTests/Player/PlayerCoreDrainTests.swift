// SPDX-License-Identifier: Apache-2.0

import Testing
import Kernel

@testable import Playback

/// A stop that plays the written frames.
@Suite struct PlayerCoreDrainTests {
    @Test(arguments: [("a-2", 0), ("starving-3", 1)]) func theBufferIsPlayedOut_andAnUnfinishedItemFadesOut(
        uri: String, cuts: Int
    ) {
        var world = SimulatedWorld.playing([uri])
        world.run(seconds: 0.5)
        world.command(.stop(drain: true))
        #expect(world.status == .stopping)
        #expect(world.run { $0.status == .stopped })
        #expect(world.cuts == cuts)
        if cuts == 0 { #expect(world.sink.heard == Double(world.sink.written)) }
    }

    @Test(arguments: [PlayerCommand.play(.current), .toggle, .scan(rate: 2)])
    func playsOn_whenPlayedWhileItDrains(command: PlayerCommand) {
        var world = SimulatedWorld.playing(["a-60", "b-60"])
        #expect(world.run { $0.position > 1.5 })
        world.command(.stop(drain: true))
        #expect(world.status == .stopping)
        world.command(command)
        #expect(world.run(upTo: 2) { $0.status == .playing && $0.position > 2.5 })
        #expect(world.position < 6)
        world.run(seconds: 20)
        #expect(world.status == .playing)
        #expect(world.completions.isEmpty)
    }

    /// The decoders have ended with the drain.
    @Test func playsOn_whenPlayedWhileAStopEndsTheDrain() {
        var world = SimulatedWorld.playing(["a-60"])
        #expect(world.run { $0.position > 1.5 })
        world.command(.stop(drain: true))
        world.command(.stop(drain: false))
        #expect(world.status == .stopping && world.sessions.isEmpty)
        world.command(.play(.current))
        #expect(world.sessions.count == 1)
        #expect(world.run(upTo: 2) { $0.status == .playing && $0.position > 2.5 })
        #expect(world.completions.isEmpty)
    }

    /// The decoder still writes the blocks of the rewind.
    @Test func playsOn_whenPlayedWhileAStopEndsARewind() {
        var world = SimulatedWorld.playing(["a-60"])
        world.command(.seek(.position(40)))
        world.command(.scan(rate: -8))
        #expect(world.run { $0.core.positionClock.rate == -8 })
        world.command(.stop(drain: false))
        #expect(world.status == .stopping)
        world.command(.play(.current))
        #expect(world.run(upTo: 2) { $0.status == .playing })
        let place = world.position
        world.run(seconds: 1)
        #expect(world.core.positionClock.rate == 1 && abs(world.position - place - 1) < 0.1)
        #expect(world.completions.isEmpty)
    }

    /// The decoder is at the start of a rewind, which a seek has ended.
    @Test func playsFromTheTarget_whenPlayedWhileAStopEndsASeek_thatEndedARewind() {
        var early = 0
        for seed in 0..<20 {
            var world = SimulatedWorld(seed: UInt64(seed))
            world.add(["a-60"], play: true)
            #expect(world.run { $0.status == .playing })
            world.command(.seek(.position(40)))
            #expect(world.run { $0.position > 40.2 })
            world.command(.scan(rate: -8))
            world.command(.seek(.position(20)))
            world.command(.stop(drain: false))
            // The decoder may be ready before the sink is silent.
            _ = world.run(upTo: 0.03) { $0.core.current?.isOpening == false || $0.status != .stopping }
            let isEarly = world.status == .stopping
            early += isEarly ? 1 : 0
            world.command(.play(.current))
            #expect(world.run(upTo: 2) { $0.status == .playing })
            let place = world.position
            #expect(!isEarly || abs(place - 20) < 0.5)
            world.run(seconds: 1)
            #expect(world.core.positionClock.rate == 1 && abs(world.position - place - 1) < 0.1)
        }
        #expect(early > 0)
    }

    @Test func reportsThePosition_whileItDrains() {
        var world = SimulatedWorld.playing(["a-5"])
        world.command(.stop(drain: true))
        world.run(seconds: 2)
        #expect(world.status == .stopping)
        #expect(world.core.positionClock.rate == 1)
        #expect(abs(world.position - 2) < 0.2)
        #expect(world.run { $0.status == .stopped })
        #expect(world.core.positionClock.rate == 0)
    }

    @Test func isPausedAtOnce_whenPausedWhileItDrains() {
        var world = SimulatedWorld.playing(["a-60"])
        world.command(.stop(drain: true))
        world.run(seconds: 1)
        world.command(.pause)
        #expect(world.run(upTo: 0.5) { $0.status == .paused })
        #expect(abs(world.position - 1) < 0.3)
    }

    @Test func isPausedAtTheTarget_afterASeekWhileItDrains() {
        var world = SimulatedWorld.playing(["a-60"])
        world.command(.stop(drain: true))
        world.command(.seek(.position(30)))
        #expect(world.run(upTo: 2) { $0.status == .paused })
        #expect(world.position == 30)
        world.command(.play(.current))
        #expect(world.run(upTo: 2) { $0.status == .playing && $0.position > 30.5 })
    }

    @Test func thePositionFalls_whileARewindDrains() {
        var world = SimulatedWorld.playing(["a-60"])
        world.command(.seek(.position(40)))
        world.command(.scan(rate: -8))
        #expect(world.run { $0.core.positionClock.rate == -8 })
        _ = world.core.snapshot()
        world.command(.stop(drain: true))
        let clock = world.core.snapshot().clock
        #expect(world.status == .stopping && clock.rate == -8)
        let fallen = clock.position(at: world.now) - clock.position(at: world.now.advanced(bySeconds: 0.1))
        #expect(abs(fallen - 0.8) < 0.001)
    }

    @Test func addsNothingOfTheNextItem_whenStoppedWithDrainNearTheEnd() {
        var world = SimulatedWorld.playing(["a-2", "b-60"])
        #expect(world.run { $0.sessions.count == 2 })
        world.command(.stop(drain: true))
        #expect(world.sessions.isEmpty)
        #expect(world.run { $0.status == .stopped })
    }

    @Test func playsTheNextItem_whenItWasLoadedBeforeTheStop() {
        var world = SimulatedWorld.playing(["a-5", "b-60"])
        #expect(world.run { $0.sessions.count == 2 && $0.core.upcoming?.primedAt != nil })
        #expect(world.core.upcoming?.isFed == false)
        world.command(.stop(drain: true))
        world.command(.play(.item(world.core.queue[1].id)))
        #expect(world.run(upTo: 2) { $0.status == .playing && $0.core.current?.item.uri == "b-60" })
    }

    @Test(arguments: [true, false])
    func theNextItemIsReady_whenSkippedToDuringAStop(drain: Bool) {
        var world = SimulatedWorld.playing(["a-60", "b-60"])
        world.command(.stop(drain: drain))
        world.command(.next)
        #expect(world.run(upTo: 2) { $0.status == .ready })
        #expect(world.core.queue.current?.uri == "b-60")
    }

    @Test func theSuccessorIsReady_whenTheItemIsRemovedDuringAStop() {
        var world = SimulatedWorld.playing(["a-60", "b-60"])
        let ids = (0..<2).map { world.core.queue[$0].id }
        world.command(.stop(drain: true))
        world.command(.edit(.remove([ids[0]])))
        #expect(world.run(upTo: 2) { $0.status == .ready })
        #expect(!world.events.contains { if case .completed(ids[1], _) = $0 { true } else { false } })
    }

    @Test func isStopped_whenTheItemFailsWhileItStops() {
        var world = SimulatedWorld.playing(["damaged-2", "b-1"])
        #expect(world.run { $0.position > 1.5 })
        world.command(.stop(drain: true))
        #expect(world.status == .stopping)
        #expect(world.run { $0.status != .stopping })
        #expect(world.status == .stopped)
        #expect(world.position == 0)
    }
}
