// SPDX-License-Identifier: Apache-2.0

import Kernel
import Testing

@testable import Playback

@Suite struct PlayerCoreTimedStartTests {
    func ready(_ uris: [String]) -> SimulatedWorld {
        var world = SimulatedWorld.with(uris, play: false)
        world.run(seconds: 0.5)
        return world
    }

    func start(_ world: inout SimulatedWorld, _ target: PlayTarget = .current, in seconds: Double)
        -> MonotonicTime
    {
        let time = world.now.advanced(bySeconds: seconds)
        world.command(.start(target, at: time))
        return time
    }

    /// SPEC row 63: for any start delay of the sink and any precision of its clock. Measured at the sink; the player's
    /// position agrees if the clock is exact.
    @Test(arguments: [SimulatedWorld.OutputModel.file, .pulseAudio], 1...20)
    func theFirstFrameIsHeardAtTheTime(model: SimulatedWorld.OutputModel, seed: Int) throws {
        var world = SimulatedWorld(seed: UInt64(seed))
        world.model = model
        world.add(["a-60"])
        world.run(seconds: 0.5)
        let time = start(&world, in: 3)
        if model.jitter == 0 {
            world.run(seconds: 2.99)
            #expect(world.status != .playing)
        }
        #expect(ended(world).isEmpty)
        world.run(seconds: time.advanced(bySeconds: 0.02).seconds(since: world.now))
        let first = try #require(world.core.stream.timeline.segments.first?.start)
        let heard = (world.sink.heard - Double(first)) / Double(SimulatedWorld.sampleRate)
        #expect(world.status == .playing && abs(heard - 0.02) < 0.01, "\(heard - 0.02) s early")
        #expect(ended(world) == [time])
        world.run(seconds: 0.48)
        if model.jitter == 0 { #expect(abs(world.position - 0.5) < 0.002, "at \(world.position)") }
    }

    @Test func goesOnFromWhereItWasPaused() {
        var world = SimulatedWorld.playing(["a-60"])
        world.run(seconds: 4)
        world.command(.pause)
        world.run(seconds: 0.5)
        let place = world.position
        let time = start(&world, in: 2)
        world.run(seconds: time.advanced(bySeconds: 0.5).seconds(since: world.now))
        #expect(world.status == .playing && abs(world.position - place - 0.5) < 0.003)
    }

    @Test func playbackContinuesUntilThen() throws {
        var world = SimulatedWorld.playing(["a-60", "b-60"])
        let second = try #require(world.core.queue.item(world.core.queue[1].id))
        _ = start(&world, .item(second.id), in: 2)
        world.run(seconds: 1.9)
        #expect(world.status == .playing && world.core.current?.item.uri == "a-60")
        world.run(seconds: 0.3)
        #expect(world.core.current?.item.uri == "b-60" && world.status == .playing)
    }

    @Test func anotherCommandTakesItsPlace() {
        var world = ready(["a-60"])
        let dropped = start(&world, in: 2)
        world.run(seconds: 0.5)
        world.command(.pause)
        #expect(ended(world) == [dropped])
        world.run(seconds: 3)
        #expect(world.status != .playing && world.core.timedStart == nil)
        let kept = start(&world, in: 5)
        world.command(.start(.current, at: kept))
        world.run(seconds: 0.5)
        // Another start at the same time does not cancel the start.
        #expect(ended(world) == [dropped])
        world.command(.play(.current))
        #expect(ended(world) == [dropped, kept])
        // Without the silence before the item.
        #expect(world.run(upTo: 0.2) { $0.status == .playing })
    }

    /// Before and in the silence.
    @Test(arguments: [PlayerCommand.play(.index(9)), .next], [2.0, 0.5])
    func aRefusedCommand_leavesTheStart(command: PlayerCommand, before: Double) {
        var world = ready(["a-60"])
        let time = start(&world, in: 3)
        world.run(seconds: 3 - before)
        let token = world.command(command)
        #expect(world.failure(token) != nil && ended(world).isEmpty)
        if case .next = command {
            #expect(world.events.contains { if case .queueLow(let low) = $0 { low.reason == .next } else { false } })
        }
        world.run(seconds: time.advanced(bySeconds: 0.5).seconds(since: world.now))
        #expect(world.status == .playing && abs(world.position - 0.5) < 0.003 && ended(world) == [time])
    }

    @Test func anEditThatPlays_cancelsTheStart_onceItIsSaved() throws {
        var world = ready(["a-60"])
        let time = world.now.advanced(bySeconds: 3)
        let token = world.command(.start(.current, at: time))
        world.run(seconds: 1)
        let edit = PlayerCommand.edit(.insert([ItemDraft(uri: "b-60")], at: .end), play: true)
        let prepared = try world.core.prepare(edit)
        #expect(ended(world).isEmpty)
        world.send(.prepared(prepared, token))
        #expect(ended(world) == [time])
        world.run(seconds: 3)
        #expect(world.status == .playing && world.core.current?.item.uri == "b-60")
    }

    /// As an alarm does. A paused player and one that plays until then.
    @Test(arguments: [false, true])
    func anOutputThatIsAwayAtTheTime_isAwaitedForAMinute(plays: Bool) throws {
        var world = SimulatedWorld.with(["a-300", "b-300"], play: plays)
        world.run(seconds: 0.5)
        world.loseServer()
        let time = start(&world, .index(1), in: 3)
        world.run(seconds: 2.9)
        #expect(world.core.timedStart != nil)
        #expect(world.core.current?.item.uri == (plays ? "a-300" : "b-300"))
        world.run(seconds: 30)
        #expect(world.status == .interrupted && world.core.reason == .outputUnavailable)
        #expect(world.core.current?.item.uri == "b-300" && world.core.lastError?.code == .outputUnavailable)
        var returning = world
        returning.returnServer()
        #expect(returning.run { $0.status == .playing } && returning.position < 0.1)
        returning.run(seconds: 60)
        #expect(returning.status == .playing && returning.core.lastError == nil && returning.core.timedStart == nil)
        #expect(errors(returning).isEmpty && ended(returning) == [time] && ended(world).isEmpty)
        world.run(seconds: 29)
        #expect(world.status == .interrupted && errors(world).isEmpty && world.mostSpins < 5)
        world.run(seconds: 2)
        #expect(world.status == .paused && world.core.reason == .outputUnavailable)
        #expect(errors(world).map(\.code) == [.outputUnavailable] && errors(world).first == world.core.lastError)
        #expect(ended(world) == [time])
        world.returnServer()
        world.run(seconds: 1)
        #expect(world.status == .paused && world.core.reason == .outputReturned)
    }

    @Test func aSinkThatIsSuspendedAtTheTime_isAwaitedForAMinute() throws {
        var world = ready(["a-300"])
        _ = start(&world, in: 3)
        world.run(seconds: 2.2)
        world.sink.isFrozen = true
        world.report { .suspended($0, true) }
        world.run(seconds: 30)
        #expect(world.status == .interrupted && world.core.reason == .outputSuspended)
        var resumed = world
        resumed.sink.isFrozen = false
        resumed.report { .suspended($0, false) }
        #expect(resumed.run { $0.status == .playing } && resumed.core.timedStart == nil)
        world.run(seconds: 31.5)
        #expect(world.status == .paused && world.core.reason == .outputSuspended && world.mostSpins < 5)
        #expect(errors(world).map(\.code) == [.outputUnavailable] && errors(world).first == world.core.lastError)
        world.report { .suspended($0, false) }
        #expect(world.core.reason == .outputReturned && world.core.lastError == nil)
    }

    /// The wait for the output goes on beside the interruption.
    @Test(arguments: [false, true], [false, true])
    func anInterruptionDoesNotEndTheWait(isSuspended: Bool, returns: Bool) {
        var world = ready(["a-300"])
        if !isSuspended { world.loseServer() }
        _ = start(&world, in: 3)
        world.run(seconds: 2.2)
        if isSuspended {
            world.sink.isFrozen = true
            world.report { .suspended($0, true) }
        }
        world.run(seconds: 10)
        world.command(.interruption(InterruptionNotice(isBeginning: true, source: .client)))
        world.run(seconds: 10)
        #expect(world.status == .interrupted && world.core.reason == .interruption)
        if returns { world.command(.interruption(InterruptionNotice(isBeginning: false, source: .client))) }
        world.run(seconds: 41.5)
        #expect(world.status == .paused && world.mostSpins < 5)
        #expect(world.core.reason == (isSuspended ? .outputSuspended : .outputUnavailable))
        #expect(errors(world).map(\.code) == [.outputUnavailable])
    }

    /// The output is there: the interruption has no such limit.
    @Test func anInterruptionAtTheTime_isAwaitedWithoutALimit() {
        var world = ready(["a-300"])
        _ = start(&world, in: 3)
        world.run(seconds: 2.5)
        world.command(.interruption(InterruptionNotice(isBeginning: true, source: .client)))
        world.run(seconds: 100)
        #expect(world.status == .interrupted && errors(world).isEmpty && world.mostSpins < 5)
        world.command(.interruption(InterruptionNotice(isBeginning: false, source: .client)))
        #expect(world.run { $0.status == .playing })
    }

    /// The sound server hangs: it is found after 5 s.
    @Test func aSinkThatDoesNotStart_isAwaitedForAMinute() {
        var world = ready(["a-300"])
        _ = start(&world, in: 3)
        world.run(seconds: 1)
        world.model = .init(startsAfter: 1000...1000, jitter: 0)
        world.run(seconds: 50)
        #expect(world.status == .interrupted || world.status == .loading)
        world.run(seconds: 12.5)
        #expect(world.status == .paused && world.core.reason == .outputUnavailable && world.mostSpins < 5)
        #expect(errors(world).map(\.code) == [.outputUnavailable])
    }

    @Test(arguments: [false, true])
    func aCancelledStart_isNotPlayed_andLeavesOtherMusicAlone(plays: Bool) {
        var world = SimulatedWorld.with(["a-300", "b-300"], play: plays)
        world.run(seconds: 0.5)
        let time = start(&world, .index(1), in: 3)
        world.run(seconds: 1)
        world.command(.cancelStart)
        #expect(ended(world) == [time])
        world.run(seconds: 3)
        #expect(world.status == (plays ? .playing : .ready) && world.core.timedStart == nil)
        #expect(world.core.current?.item.uri == (plays ? "a-300" : "b-300"))
    }

    @Test(arguments: [PlayerCommand.pause, .cancelStart])
    func aPauseOrACancellation_endsTheWaitForTheOutput(command: PlayerCommand) {
        var world = ready(["a-300"])
        world.loseServer()
        _ = start(&world, in: 3)
        world.run(seconds: 10)
        world.command(command)
        world.returnServer()
        world.run(seconds: 70)
        #expect(world.status == .paused && world.core.timedStart == nil && errors(world).isEmpty)
    }

    /// The sink is lost and reopened after its clock was read.
    @Test func aStreamThatIsOpenedAgain_isMeasuredAgain() throws {
        var world = SimulatedWorld.with(["a-60"], play: false)
        world.model = .init(startsAfter: 0.1...0.1, jitter: 0)
        world.run(seconds: 0.5)
        let time = start(&world, in: 3)
        world.run(seconds: 2.55)
        world.loseSink()
        world.run(seconds: time.advanced(bySeconds: 0.5).seconds(since: world.now))
        #expect(world.status == .playing && world.opened == 2)
        #expect(abs(world.position - 0.5) < 0.005, "at \(world.position)")
    }

    /// The times of the starts that have ended.
    func ended(_ world: SimulatedWorld) -> [MonotonicTime] {
        world.events.compactMap { if case .startEnded(let time) = $0 { time } else { nil } }
    }

    func errors(_ world: SimulatedWorld) -> [PlaybackError] {
        world.events.compactMap { if case .error(let error) = $0 { error } else { nil } }
    }

    @Test func anOutputThatReturnsInTime_isUsed() {
        var world = ready(["a-60"])
        world.send(.output(.availability(.unavailable("nobody there"))))
        let time = start(&world, in: 3)
        world.run(seconds: 1.5)
        world.send(.output(.availability(.available)))
        world.run(seconds: time.advanced(bySeconds: 0.5).seconds(since: world.now))
        #expect(world.status == .playing && abs(world.position - 0.5) < 0.002, "at \(world.position)")
        #expect(world.core.lastError == nil)
    }

    @Test func primes_withoutASound() {
        var world = ready(["a-60"])
        let token = world.command(.prime(seconds: 1))
        world.run(seconds: 0.9)
        #expect(world.replies[token] != nil && world.opened == 1)
        #expect(world.status == .ready && world.core.current?.isFed == true)
        world.run(seconds: 10)
        #expect(world.core.nextDeadline == nil)
    }

    @Test func primeFails_withItsItem() {
        var world = ready(["missing"])
        let token = world.command(.prime(seconds: 1))
        world.run(seconds: 0.9)
        #expect(world.failure(token)?.code == .notFound)
    }
}
