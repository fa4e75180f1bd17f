// SPDX-License-Identifier: Apache-2.0

import Kernel
import Testing

@testable import Playback

@Suite struct PlayerCoreSleepTests {
    private func sleeping(_ world: inout SimulatedWorld, in seconds: Double, fade: Double) -> MonotonicTime {
        let end = world.now.advanced(bySeconds: seconds)
        world.command(.sleep(SleepPlan(end: .at(end), fade: fade)))
        return end
    }

    private func hasSlept(_ world: SimulatedWorld) -> Bool {
        world.events.contains { if case .slept = $0 { true } else { false } }
    }

    @Test func fadesAndPausesAtTheTime_andLeavesTheVolume() throws {
        var world = SimulatedWorld.playing(["a-60"])
        let volume = world.core.settings.volume
        let end = sleeping(&world, in: 5, fade: 2)
        world.run(seconds: 2.9)
        #expect(world.timerGains.isEmpty && world.status == .playing)
        world.run(seconds: 0.2)
        let fade = try #require(world.timerGains.first)
        #expect(fade.gain == 0 && abs(fade.seconds - 2) < 0.01)
        world.run(seconds: end.seconds(since: world.now) - 0.01)
        #expect(world.status == .playing && !hasSlept(world))
        world.run(seconds: 0.1)
        #expect(world.status == .paused && world.core.reason == .sleepTimer && hasSlept(world))
        // The gain is back only once it is silent.
        let back = try #require(world.timerGains.last)
        #expect(back.gain == 1 && back.at >= end && world.timerGains.count == 2)
        #expect(world.core.stream.isSounding == false && world.core.settings.volume == volume)
    }

    @Test func cancelledInTheFade_soundsAsBeforeAtOnce() throws {
        var world = SimulatedWorld.playing(["a-60"])
        _ = sleeping(&world, in: 3, fade: 2)
        world.run(seconds: 2)
        #expect(world.timerGains.count == 1)
        world.command(.sleep(nil))
        #expect(world.timerGains.last?.gain == 1 && world.timerGains.last?.seconds == 0)
        world.run(seconds: 3)
        #expect(world.status == .playing && !hasSlept(world))
    }

    @Test func aPausedPlayerStaysAsItIs() {
        var world = SimulatedWorld.playing(["a-60"])
        _ = sleeping(&world, in: 1, fade: 0)
        world.command(.pause)
        world.run(seconds: 2)
        #expect(world.status == .paused && world.core.reason == .user && hasSlept(world))
        world.command(.play(.current))
        world.run(seconds: 1)
        #expect(world.status == .playing)
    }

    /// Expects the gain at the start of the last sound, and the ramp from there.
    private func expectFade(_ world: SimulatedWorld, from gain: Double, over seconds: Double) throws {
        let (start, fade) = (try #require(world.timerGains.dropLast().last), try #require(world.timerGains.last))
        #expect(abs(start.gain - gain) < 0.02 && start.seconds == 0)
        #expect(fade.gain == 0 && abs(fade.seconds - seconds) < 0.2 && fade.at >= start.at)
    }

    @Test func aFadeThatBeganInSilence_startsWithItsPresentGain() throws {
        // A plan before the first play, and one during a pause.
        for start in [SimulatedWorld.with(["a-60"], play: false), SimulatedWorld.playing(["a-60"])] {
            var world = start
            world.command(.pause)
            world.run(seconds: 1)
            let end = sleeping(&world, in: 20, fade: 20)
            world.run(seconds: 8)
            #expect(world.timerGains.isEmpty && world.mostSpins < 20)
            world.command(.play(.current))
            #expect(world.run { $0.status == .playing })
            try expectFade(world, from: 0.6, over: 12)
            #expect(world.run(upTo: 13) { $0.status == .paused })
            #expect(world.now >= end && world.timerGains.last?.gain == 1)
        }
    }

    @Test(arguments: [true, false])
    func aFadeWhoseTimeComesInAPauseOrInterruption_startsWithItsPresentGain(isPause: Bool) throws {
        var world = SimulatedWorld.playing(["a-60"])
        _ = sleeping(&world, in: 20, fade: 18)
        if isPause { world.command(.pause) } else { world.interrupt() }
        world.run(seconds: 10)
        #expect(world.status == (isPause ? .paused : .interrupted))
        if isPause { world.command(.play(.current)) } else { world.endInterruption() }
        #expect(world.run { $0.status == .playing })
        try expectFade(world, from: 10 / 18, over: 10)
    }

    @Test func aPauseInTheFade_takesItBack_andPlayGoesOnWithIt() throws {
        var world = SimulatedWorld.playing(["a-60"])
        _ = sleeping(&world, in: 10, fade: 10)
        world.run(seconds: 2)
        world.command(.pause)
        world.run(seconds: 3)
        #expect(world.timerGains.map(\.gain) == [0, 1])
        world.command(.play(.current))
        #expect(world.run { $0.status == .playing })
        try expectFade(world, from: 0.5, over: 5)
    }

    @Test func endOfItem_waitsBeforeTheNext() {
        var world = SimulatedWorld.playing(["a-3", "b-60"])
        world.command(.sleep(SleepPlan(end: .endOfItem, fade: 1)))
        #expect(world.run { $0.status == .paused })
        #expect(world.core.reason == .sleepTimer && world.core.current?.item.uri == "b-60" && world.position == 0)
        #expect(world.core.current?.listened == 0)
        #expect(world.timerGains.map(\.gain) == [0, 1])
        world.command(.play(.current))
        #expect(world.run { $0.status == .playing })
    }

    @Test func endOfItem_withoutAnother_stops() {
        var world = SimulatedWorld.playing(["a-2"])
        world.command(.sleep(SleepPlan(end: .endOfItem, fade: 0)))
        #expect(world.run { $0.status == .stopped })
        #expect(world.core.reason == .sleepTimer && world.core.sleep == nil)
    }

    @Test(arguments: [SleepPlan.End.endOfItem, .endOfQueue], [0.0, 1])
    func theEndOfAnEndlessItem_isTheEndOfItsRound(end: SleepPlan.End, fade: Double) {
        var world = inTheSecondRound(end == .endOfItem ? ["b-60"] : [])
        if end == .endOfQueue { world.apply { $0.repeats = .all } }
        world.command(.sleep(SleepPlan(end: end, fade: fade)))
        world.run(seconds: 1.8)
        #expect(world.status == .playing && !hasSlept(world))
        #expect(world.run(upTo: 0.5) { $0.status == .paused })
        #expect(world.core.reason == .sleepTimer && hasSlept(world))
        #expect(world.core.current?.item.uri == "a-3" && world.position < 0.1)
        #expect(world.timerGains.map(\.gain) == (fade == 0 ? [] : [0, 1]))
    }

    /// Four seconds into rounds of three.
    private func inTheSecondRound(_ others: [String]) -> SimulatedWorld {
        var world = SimulatedWorld()
        let items = [ItemDraft(uri: "a-3", loops: -1)] + others.map { ItemDraft(uri: $0) }
        world.command(.edit(.insert(items, at: .end), play: true))
        world.run(seconds: 4)
        #expect(world.status == .playing && world.position < 1.1)
        return world
    }

    @Test func stopAfterCurrent_isTheEndOfTheRound_whenItIsRepeatedWithoutEnd() {
        var world = inTheSecondRound(["b-60"])
        world.apply { $0.stopAfterCurrent = true }
        world.run(seconds: 1.8)
        #expect(world.status == .playing)
        #expect(world.run(upTo: 0.5) { $0.status == .stopped })
        #expect(world.core.reason == .stopAfterCurrent && !world.core.settings.stopAfterCurrent)
        #expect(world.core.current?.item.uri == "a-3" && world.position == 0)
        world.command(.play(.current))
        #expect(world.run { $0.status == .playing } && world.core.current?.item.uri == "a-3")
        world.run(seconds: 7)
        #expect(world.status == .playing && world.lateOrDoubleReplies == 0)
    }

    @Test func stopAfterCurrent_isTheEndOfTheItem_whenItIsRepeated() {
        var world = SimulatedWorld.playing(["a-3", "b-60"])
        world.apply { ($0.stopAfterCurrent, $0.repeats) = (true, .one) }
        #expect(world.run(upTo: 3.2) { $0.status == .stopped })
        #expect(world.core.reason == .stopAfterCurrent && world.core.queue.current?.uri == "a-3")
    }

    @Test func endOfQueue_endsTheRounds_andGoesOnToTheEnd() {
        var world = inTheSecondRound(["b-2"])
        world.command(.sleep(SleepPlan(end: .endOfQueue, fade: 0)))
        world.run(seconds: 1.8)
        #expect(world.core.current?.item.uri == "a-3" && world.status == .playing)
        #expect(world.run(upTo: 0.5) { $0.core.current?.item.uri == "b-2" && $0.status == .playing })
        #expect(world.run(upTo: 2.5) { $0.status == .stopped })
        #expect(world.core.reason == .sleepTimer && hasSlept(world))
    }

    @Test func endOfQueue_repeatsNoMore() {
        var world = SimulatedWorld.playing(["a-2", "b-2"])
        world.apply { $0.repeats = .all }
        world.command(.sleep(SleepPlan(end: .endOfQueue, fade: 1)))
        #expect(world.run(upTo: 6) { $0.status == .stopped })
        #expect(world.core.reason == .sleepTimer && world.core.settings.repeats == .all)
        #expect(world.timerGains.first?.gain == 0)
    }

    @Test func aJumpBackEndsTheFade() {
        var world = SimulatedWorld.playing(["a-5", "b-60"])
        world.command(.sleep(SleepPlan(end: .endOfItem, fade: 2)))
        world.run(seconds: 3.5)
        #expect(world.timerGains.map(\.gain) == [0])
        world.command(.seek(.position(0)))
        world.run(seconds: 1)
        #expect(world.timerGains.map(\.gain) == [0, 1] && world.status == .playing)
    }

    @Test func aJumpWithinTheFade_fadesOverWhatIsLeft() throws {
        var world = SimulatedWorld.playing(["a-6", "b-60"])
        world.command(.sleep(SleepPlan(end: .endOfItem, fade: 3)))
        for place in [4.0, 5] {
            world.command(.seek(.position(place)))
            world.run(seconds: 0.4)
            #expect(world.status == .playing)
            let fade = try #require(world.timerGains.last)
            #expect(fade.gain == 0 && abs(fade.seconds - (6 - place)) < 0.1)
        }
    }

    @Test func anItemReplacedByARise_doesNotFade() {
        var world = SimulatedWorld.playing(["a-60"])
        world.apply { $0[dynamicMember: \.fades.skip] = 2 }
        world.command(.rise(over: 0))
        world.command(.edit(.replace([ItemDraft(uri: "b-60")], startIndex: 0), play: true))
        #expect(world.run { $0.status == .playing && $0.core.current?.item.uri == "b-60" })
        #expect(world.fades == [0])
    }

    /// Rises over 5 s with its first item, and plays.
    private func riseAndPlay(_ world: inout SimulatedWorld) {
        world.command(.rise(over: 5))
        world.command(.play(.current))
        #expect(world.run { $0.status == .playing })
    }

    @Test func rises_whenSoundBegins() throws {
        var world = SimulatedWorld.with(["a-60"], play: false)
        world.run(seconds: 1)
        world.command(.rise(over: 5))
        world.command(.play(.current))
        #expect(world.timerGains.map(\.gain) == [0])
        #expect(world.run { $0.status == .playing })
        #expect(world.timerGains.map(\.gain) == [0, 1] && world.timerGains.last?.seconds == 5)
    }

    /// The sound before it would be heard at the new volume while it fades out.
    @Test(arguments: [false, true]) func theVolumeOfARise_waitsForItsSound(isCancelled: Bool) {
        var world = SimulatedWorld.playing(["a-60"])
        let (volumes, balances) = (world.volumes.count, world.balances.count)
        world.command(.rise(over: 5))
        world.apply { ($0.volume, $0.muted) = (0.9, false) }
        #expect(world.volumes.count == volumes && world.balances.count == balances)
        if isCancelled {
            world.command(.rise(over: nil))
        } else {
            world.command(.edit(.replace([ItemDraft(uri: "b-60")], startIndex: 0), play: true))
            #expect(world.run { $0.status == .playing && $0.core.current?.item.uri == "b-60" })
        }
        #expect(world.volumes.last?.sent == 0.9 && world.balances.last == .unity)
    }

    @Test func aRiseThatIsPaused_isOver() {
        var world = SimulatedWorld.with(["never"], play: false)
        world.command(.rise(over: 5))
        world.command(.play(.current))
        world.run(seconds: 0.1)
        world.command(.pause)
        world.run(seconds: 0.1)
        #expect(world.timerGains.map(\.gain) == [0, 1])
    }

    /// The alarm was refused. Music that plays does not stay silent.
    @Test(arguments: [false, true])
    func aRiseThatIsCancelled_restoresTheGain(plays: Bool) {
        var world = plays ? SimulatedWorld.playing(["a-60"]) : SimulatedWorld.with(["a-60"], play: false)
        world.command(.rise(over: 5))
        world.command(.rise(over: nil))
        world.command(.play(.current))
        #expect(world.run { $0.status == .playing })
        #expect(world.timerGains.map(\.gain) == [0, 1] && world.timerGains.last?.seconds == 0)
    }

    /// The output still has the rest of the ramp, whatever the clock says.
    @Test func aRiseThatEndsInAPause_leavesNothingForTheNextPlay() {
        var world = SimulatedWorld.with(["a-60"], play: false)
        riseAndPlay(&world)
        world.run(seconds: 1)
        world.command(.pause)
        world.command(.rise(over: nil))
        world.run(seconds: 10)
        #expect(world.timerGains.last?.gain == 1 && world.timerGains.last?.seconds == 0)
        let count = world.timerGains.count
        world.command(.play(.current))
        world.run(seconds: 1)
        #expect(world.timerGains.count == count && world.status == .playing)
    }

    @Test func aRiseThatEndsInAFadeOut_isNotHeard() {
        var world = SimulatedWorld.with(["a-60"], play: false)
        world.apply { $0[dynamicMember: \.fades.pause] = 2 }
        riseAndPlay(&world)
        world.run(seconds: 1)
        world.command(.pause)
        world.command(.rise(over: nil))
        #expect(world.timerGains.last.map { $0.gain < 0.3 } == true)
        world.run(seconds: 5)
        #expect(world.timerGains.last?.gain == 1)
    }

    /// Silence ends the ramps of the output.
    @Test func aRiseGoesOn_afterAnInterruption() throws {
        var world = SimulatedWorld.with(["a-60"], play: false)
        riseAndPlay(&world)
        world.run(seconds: 1)
        world.interrupt()
        world.run(seconds: 1)
        world.endInterruption()
        #expect(world.run { $0.status == .playing })
        let start = try #require(world.timerGains.dropLast().last)
        let rest = try #require(world.timerGains.last)
        #expect(abs(start.gain - 0.4) < 0.05 && start.seconds == 0)
        #expect(rest.gain == 1 && abs(rest.seconds - 3) < 0.2)
        world.run(seconds: 5)
        #expect(world.timerGains.last?.gain == 1)
    }

    @Test func aRiseEndsASleep() {
        var world = SimulatedWorld.playing(["a-60"])
        _ = sleeping(&world, in: 1, fade: 0)
        world.command(.rise(over: 1))
        world.run(seconds: 2)
        #expect(hasSlept(world) && world.status == .playing)
    }
}
