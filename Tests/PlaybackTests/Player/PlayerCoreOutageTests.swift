// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Playback

/// Behaviour while the sink is unavailable.
@Suite struct PlayerCoreOutageTests {
    @Test func resumesWhereItWas_whenTheSinkComesBack() {
        var world = SimulatedWorld.playing(["a-60"])
        world.run(seconds: 5)
        let place = world.position
        world.loseServer()
        #expect(world.status == .interrupted)
        #expect(world.core.reason == .outputUnavailable)
        world.run(seconds: 20)
        #expect(abs(world.position - place) < 0.2)
        world.returnServer()
        #expect(world.run { $0.status == .playing })
        #expect(abs(world.position - place) < 0.2)
    }

    /// The sound server may be back already.
    @Test func aRefusedRequestForSound_connectsAtOnce() {
        var world = SimulatedWorld.with(["a-60"], play: false)
        world.loseServer()
        let refused = world.command(.play(.current))
        #expect(world.failure(refused)?.code == .outputUnavailable && world.connects == 1)
        world.add(["b-60"], play: true)
        #expect(world.connects == 2)
        world.run(seconds: 60)
        #expect(world.connects == 2)
    }

    /// The item is loaded again from its start and discarded up to the position, without an item change.
    @Test func anItemThatIsNotSeekable_isReopened_andResumesAtItsPosition() throws {
        var world = SimulatedWorld.playing(["unsearchable-60"])
        world.run(seconds: 5)
        let now = world.now
        world.core.loaded.current?.dryTimes = [now]
        let before = (loads: world.loads, position: world.position, media: world.core.current?.media)
        var unknown = 0
        world.check = { if $0.core.current?.media != before.media { unknown += 1 } }
        world.loseServer()
        world.run(seconds: 2)
        world.returnServer()
        #expect(world.run { $0.status == .playing } && world.loads == before.loads + 1)
        #expect(world.sessions.count == 1, "the first connection has ended")
        #expect(abs(world.position - before.position) < 0.2)
        #expect(world.core.positionClock.listenedTime > 4.9)
        #expect(unknown == 0, "what it is stays known")
        #expect(world.core.current?.dryTimes == [], "the new connection has not run dry")
    }

    /// A slow item is not the sink's fault.
    @Test func keepsItsStream_whenAnItemTakesLongToOpen() throws {
        var world = SimulatedWorld.playing(["a-60", "late-9"])
        let stream = try #require(world.sink.generation)
        world.command(.next)
        world.run(seconds: 8)
        #expect(world.status == .loading)
        #expect(world.run { $0.status == .playing })
        #expect(world.sink.generation == stream)
        #expect(world.core.lastError == nil)
        #expect(world.mostSpins < 30)
    }

    @Test func asksForNothing_whileTheSinkIsSuspended() throws {
        var world = SimulatedWorld.playing(["a-60"])
        world.sink.isFrozen = true
        world.report { .suspended($0, true) }
        world.run(seconds: 10)
        #expect(world.status == .interrupted)
        #expect(world.mostSpins < 30)
    }

    /// The wait for a start does not count the time of the suspension.
    @Test func keepsItsStream_whenASuspendedSinkResumes() throws {
        var world = SimulatedWorld.playing(["a-60"])
        world.command(.pause)
        #expect(world.run { $0.status == .paused })
        let stream = try #require(world.sink.generation)
        world.model = SimulatedWorld.OutputModel(startsAfter: 62...62, jitter: 0)
        world.command(.play(.current))
        world.report { .suspended($0, true) }
        world.run(seconds: 60)
        #expect(world.status == .interrupted && world.core.reason == .outputSuspended)
        world.report { .suspended($0, false) }
        #expect(world.run { $0.status == .playing })
        #expect(world.sink.generation == stream && world.core.lastError == nil)
    }

    /// The interruption is then the reason for the silence, for any time.
    @Test func outageIsOver_whenTheSinkIsBackDuringAnInterruption() {
        var world = SimulatedWorld.playing(["a-60"])
        world.loseServer()
        world.interrupt(.client)
        world.returnServer()
        #expect(world.core.lastError == nil)
        world.run(seconds: Outage.limit + 1)
        #expect(world.status == .interrupted && world.mostSpins < 30)
        world.endInterruption(.client)
        #expect(world.run { $0.status == .playing })
    }

    enum EndOfOutage: CaseIterable { case pause, timeout, returned }

    /// A seek ends when it is heard. Without a sink, it ends when no sound is wanted any more.
    @Test(arguments: EndOfOutage.allCases)
    func aSeekWhileTheSinkIsAway_isKept(end: EndOfOutage) {
        var world = SimulatedWorld.playing(["a-60"])
        world.loseServer()
        for target in [40.0, 20] { world.command(.seek(.position(target))) }
        #expect(world.status == .interrupted)
        world.run(seconds: 3)
        #expect(world.status == .interrupted && world.position == 20)
        if end != .returned {
            if end == .pause { world.command(.pause) } else { world.run(seconds: Outage.limit + 1) }
            #expect(world.status == .paused && world.position == 20)
        }
        world.returnServer()
        if end != .returned {
            world.run(seconds: 1)
            #expect(world.status == .paused && world.position == 20)
            world.command(.play(.current))
        }
        #expect(world.run { $0.status == .playing })
        #expect(abs(world.position - 20) < 0.1)
    }

    @Test func playFails_whenThereIsNoSink() {
        var world = SimulatedWorld.with(["a-1"], play: false)
        world.send(.output(.availability(.unavailable("no server"))))
        let token = world.command(.play(.current))
        #expect(world.failure(token)?.code == .outputUnavailable && !world.core.goal.wantsSound)
    }

    /// PipeWire moves the stream to a substitute device without reporting a start (SPEC row 139).
    @Test func goesOn_whenTheStreamOutlivesItsDevice() {
        var world = SimulatedWorld.playing(["a-60"])
        world.run(seconds: 1)
        let generation = world.core.stream.generation
        world.send(.output(.availability(.unavailable("no device"))))
        #expect(world.status == .interrupted)
        world.send(.output(.availability(.available)))
        #expect(world.run { $0.status == .playing })
        #expect(world.core.stream.generation == generation && world.core.lastError == nil)
        let place = world.position
        world.run(seconds: 1)
        #expect(world.position > place + 0.5)
    }

    @Test func forgetsTheError_whenTheServerIsBack_andNobodyWantsSound() {
        var world = SimulatedWorld.playing(["a-60"])
        world.loseServer()
        world.command(.pause)
        world.run(seconds: 1)
        #expect(world.core.lastError?.code == .outputUnavailable)
        world.returnServer()
        #expect(world.core.lastError == nil && world.status == .paused && world.core.reason == .user)
    }

    @Test func keepsTheError_whenAnotherItemBecomesCurrentMeanwhile() {
        var world = SimulatedWorld.playing(["a-60", "b-60"])
        world.loseServer()
        world.command(.next)
        #expect(world.core.current?.item.uri == "b-60" && world.core.lastError?.code == .outputUnavailable)
    }

    @Test func pauses_whenTheSinkStaysAwayTooLong_andReportsItsReturn() {
        var world = SimulatedWorld.playing(["a-60"])
        world.loseServer()
        world.run(seconds: Outage.limit + 5)
        #expect(world.status == .paused && world.core.reason == .outputUnavailable)
        world.returnServer()
        #expect(world.status == .paused && world.core.reason == .outputReturned && world.core.lastError == nil)
        world.command(.play(.current))
        #expect(world.run { $0.status == .playing })
    }

    @Test func reportsThatTheSessionPlaysAgain() {
        var world = SimulatedWorld.playing(["a-60"])
        var rules = SessionRules()
        rules.refusal = "It records."
        world.command(.applyRules(rules))
        world.run(seconds: 1)
        #expect(world.status == .paused && world.core.reason == .session)
        rules.refusal = nil
        world.command(.applyRules(rules))
        world.run(seconds: 1)
        #expect(world.status == .paused && world.core.reason == .sessionChanged)
    }
}
