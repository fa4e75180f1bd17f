// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Playback

/// What the player does while the sink is away.
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

    /// From its beginning, of which what lies before the place is left out: it is the same item all the while.
    @Test func whatCannotBeSearched_isAskedForOnceMore_andGoesOnAtItsPlace() throws {
        var world = SimulatedWorld.playing(["unsearchable-60"])
        world.run(seconds: 5)
        let now = world.now
        world.core.loaded.updateCurrent { $0.dryTimes = [now] }
        let before = (loads: world.loads, position: world.position, media: world.core.current?.media)
        var unknown = 0
        world.check = { if $0.core.current?.media != before.media { unknown += 1 } }
        world.loseServer()
        world.run(seconds: 2)
        world.returnServer()
        let plays = world.run { $0.status == .playing }
        #expect(plays && world.loads == before.loads + 1)
        #expect(world.sessions.count == 1, "the first connection has ended")
        #expect(abs(world.position - before.position) < 0.2)
        #expect(world.core.positionClock.listenedTime > 4.9)
        #expect(unknown == 0, "what it is stays known")
        #expect(world.core.current?.dryTimes == [], "the new connection has not run dry")
    }

    /// What the item takes to open is not the sink's fault.
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
        world.send(.output(.suspended(try #require(world.sink.generation), true)))
        world.run(seconds: 10)
        #expect(world.status == .interrupted)
        #expect(world.mostSpins < 30)
    }

    /// The call is the reason for the silence then, however long it takes.
    @Test func outageIsOver_whenTheSinkIsBackDuringAnInterruption() {
        var world = SimulatedWorld.playing(["a-60"])
        world.loseServer()
        world.command(.interruption(InterruptionNotice(isBeginning: true, source: .client)))
        world.returnServer()
        #expect(world.core.lastError == nil)
        world.run(seconds: Outage.limit + 1)
        #expect(world.status == .interrupted && world.mostSpins < 30)
        world.command(.interruption(InterruptionNotice(isBeginning: false, source: .client, shouldResume: true)))
        #expect(world.run { $0.status == .playing })
    }

    @Test func pauses_whenTheSinkStaysAwayTooLong() {
        var world = SimulatedWorld.playing(["a-60"])
        world.loseServer()
        world.run(seconds: Outage.limit + 1)
        #expect(world.status == .paused)
        #expect(world.core.reason == .outputUnavailable)
    }

    /// A seek ends by being heard, and without a sink nothing is: it must end when sound is no longer waited for.
    @Test(arguments: [false, true])
    func seekWhileTheSinkIsAway_endsPaused(byUser: Bool) {
        var world = SimulatedWorld.playing(["a-60"])
        world.loseServer()
        world.command(.seek(.position(20)))
        #expect(world.status == .interrupted)
        world.run(seconds: 1)
        #expect(world.status == .interrupted)
        if byUser { world.command(.pause) } else { world.run(seconds: Outage.limit + 1) }
        #expect(world.status == .paused)
        #expect(world.position == 20)
        world.returnServer()
        world.run(seconds: 1)
        #expect(world.status == .paused && world.position == 20)
        world.command(.play(.current, position: nil))
        #expect(world.run { $0.status == .playing })
        #expect(abs(world.position - 20) < 0.1)
    }

    @Test func playsFromThere_whenSoughtWhileTheSinkIsAway() {
        var world = SimulatedWorld.playing(["a-60"])
        world.loseServer()
        for target in [40.0, 20] { world.command(.seek(.position(target))) }
        world.run(seconds: 3)
        #expect(world.status == .interrupted && world.position == 20)
        world.returnServer()
        #expect(world.run { $0.status == .playing })
        #expect(abs(world.position - 20) < 0.1)
    }

    @Test func refusesToPretend_whenThereIsNoSink() {
        var world = SimulatedWorld.with(["a-1"], play: false)
        world.send(.output(.availability(.unavailable("no server"))))
        let token = world.command(.play(.current, position: nil))
        guard case .failed(let error)? = world.replies[token] else {
            Issue.record("play must be refused")
            return
        }
        #expect(error.code == .outputUnavailable)
        #expect(!world.core.goal.wantsSound)
    }

    /// As PipeWire does it: the stream is moved to a stand-in, and nobody tells of a start (SPEC row 139).
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

    @Test func saysThatTheServerIsBack_whenItHadWaitedForTooLong() {
        var world = SimulatedWorld.playing(["a-60"])
        world.loseServer()
        world.run(seconds: Outage.limit + 5)
        #expect(world.status == .paused && world.core.reason == .outputUnavailable)
        world.returnServer()
        #expect(world.status == .paused && world.core.reason == .outputReturned && world.core.lastError == nil)
        world.command(.play(.current, position: nil))
        #expect(world.run { $0.status == .playing })
    }

    @Test func saysThatTheSessionPlaysAgain() {
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
