// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Playback

/// The gates of an interruption, one by one (SPEC rows 127-134, 165, 166).
@Suite struct PlayerCoreInterruptionTests {

    private func reported(_ world: SimulatedWorld) -> [String] {
        world.events.compactMap { event in
            guard case .interruption(let begins, let source, _) = event else { return nil }
            return (begins ? "began " : "ended ") + source.rawValue
        }
    }

    @Test func resumesWhereItStood() {
        var world = SimulatedWorld.playing(["a-20"])
        world.run(seconds: 1)
        world.interrupt()
        #expect(world.run { $0.status == .interrupted })
        #expect(world.core.reason == .interruption)
        let place = world.position
        world.run(seconds: 5)
        #expect(world.position == place && world.core.positionClock.rate == 0)
        #expect(world.core.nextDeadline == nil, "no wake-ups while it waits")
        world.endInterruption()
        #expect(world.run { $0.status == .playing })
        #expect(world.position - place < 0.1)
        #expect(reported(world) == ["began client", "ended client"])
        #expect(world.lateOrDoubleReplies == 0)
    }

    /// The player was not paused.
    @Test func noPauseIsReported_betweenAnInterruptionAndSound() {
        var world = SimulatedWorld.playing(["a-20"])
        world.run(seconds: 1)
        let before = world.events.count
        world.interrupt()
        #expect(world.run { $0.status == .interrupted })
        world.run(seconds: 1)
        world.endInterruption()
        #expect(world.run { $0.status == .playing })
        #expect(world.statuses(since: before) == [.interrupted, .loading, .playing])
    }

    /// The follower plays because its leader does.
    @Test func aFollowersMute_isNotTakenBackByItsLeader() throws {
        var world = SimulatedWorld.playing(["a-20"])
        world.core.settings.leader = "main"
        world.report { .corkRequested($0, true) }
        world.command(.play(.current, position: 5))
        world.run(seconds: 1)
        #expect(world.status == .interrupted)
        world.core.settings.leader = nil
        world.command(.play(.current, position: 5))
        #expect(world.run { $0.status == .playing })
    }

    /// Each row: commands before and during the call, the hint at its end, the setting, and the expected state.
    @Test(arguments: [
        ("", "", true, true, PlayerStatus.playing, nil as StatusReason?),
        ("", "", false, true, .paused, .interruptionEnded),
        ("", "", true, false, .paused, .interruptionEnded),
        ("pause", "", true, true, .paused, .user),
        ("", "pause", true, true, .paused, .user),
        ("", "play", true, true, .playing, nil),
        ("", "play", false, true, .playing, nil),
        ("pause", "play", true, true, .playing, nil),
        ("", "play pause", true, true, .paused, .user),
        ("", "pause play", false, true, .playing, nil),
        ("", "toggle", true, true, .playing, nil),
        ("stop", "", true, true, .stopped, .user),
        ("", "stop", true, true, .stopped, .user),
        ("", "next", true, true, .playing, nil),
        ("", "seek", true, true, .playing, nil),
    ])
    func gate(
        before: String, during: String, hint: Bool, option: Bool, status: PlayerStatus, reason: StatusReason?
    ) throws {
        var world = SimulatedWorld.playing(["a-20", "b-20"])
        world.apply { $0.autoResume = option }
        perform(before, &world)
        world.report { .corkRequested($0, true) }
        world.run(seconds: 0.5)
        perform(during, &world)
        world.report { .corkRequested($0, false) }
        if !hint {
            world.interrupt()
            world.endInterruption(shouldResume: false)
        }
        world.run(seconds: 1)
        if !hint, during.hasSuffix("play") {
            // A second interruption that forbids resuming counts, because the first one was overridden.
            #expect(world.status == .paused && world.core.reason == .interruptionEnded)
        } else {
            #expect(world.status == status)
            if let reason { #expect(world.core.reason == reason) }
        }
    }

    private func perform(_ words: String, _ world: inout SimulatedWorld) {
        for word in words.split(separator: " ") {
            switch word {
            case "pause": world.command(.pause)
            case "play": world.command(.play(.current))
            case "toggle": world.command(.toggle)
            case "stop": world.command(.stop(drain: false))
            case "next": world.command(.next)
            default: world.command(.seek(.position(5)))
            }
            world.run(seconds: 0.5)
        }
    }

    @Test func takesTheMuteBack_whenTheUserPlaysOn() throws {
        var world = SimulatedWorld.playing(["a-20"])
        world.report { .corkRequested($0, true) }
        world.run(seconds: 0.5)
        #expect(world.unmutes == 0)
        world.command(.play(.current))
        #expect(world.unmutes == 1)
        #expect(world.run { $0.status == .playing })
        #expect(reported(world) == ["began sound-server", "ended user"])
    }

    @Test func onlyReports_whenThatIsThePolicy() throws {
        var world = SimulatedWorld.playing(["a-20"])
        world.apply { $0.interruptionPolicy = .notifyOnly }
        world.report { .corkRequested($0, true) }
        world.run(seconds: 0.5)
        #expect(world.status == .playing && world.unmutes == 1)
        #expect(reported(world) == ["began sound-server"])
    }

    @Test func aPersonsMuteApplies_underEveryPolicy() throws {
        var world = SimulatedWorld.playing(["a-20"])
        world.apply { $0.interruptionPolicy = .notifyOnly }
        world.report { .muted($0, true) }
        world.run(seconds: 0.5)
        #expect(world.status == .interrupted && world.unmutes == 0)
        world.apply { $0.interruptionPolicy = .auto }
        world.apply { $0.interruptionPolicy = .notifyOnly }
        #expect(world.status == .interrupted && world.unmutes == 0)
        world.report { .muted($0, false) }
        #expect(world.run(upTo: 1) { $0.status == .playing })
        #expect(reported(world) == ["began sound-server", "ended sound-server"])
        // A call's request after its mute is an interruption.
        world.report { .muted($0, true) }
        world.report { .corkRequested($0, true) }
        #expect(world.run(upTo: 1) { $0.status == .playing } && world.unmutes == 1)
    }

    @Test func endsByItself_afterTheTimeout() {
        var world = SimulatedWorld.playing(["a-90"])
        world.apply { $0.interruptionTimeout = 2 }
        world.interrupt()
        world.run(seconds: 1.5)
        #expect(world.status == .interrupted)
        world.run(seconds: 1)
        #expect(world.status == .playing)
        #expect(reported(world).last == "ended timeout")
        // A call always ends, so it has no timeout.
        world.send(.output(.corkRequested(world.sink.generation ?? Generation(0), true)))
        world.run(seconds: 30)
        #expect(world.status == .interrupted)
    }

    /// Row 133: data of a live source from before is stale.
    @Test func aLiveSource_isOpenedAnew() {
        var world = SimulatedWorld.playing(["live-60"])
        world.run(seconds: 1)
        let loads = world.loads
        world.interrupt()
        world.run(seconds: 3)
        #expect(world.loads == loads)
        world.endInterruption()
        #expect(world.run { $0.status == .playing } && world.loads == loads + 1)
        #expect(world.core.current?.listened ?? 0 > 0.9, "what was heard of it is not forgotten")
        #expect(world.completions.isEmpty)
    }

    @Test func staysSilent_whenTheStreamIsLostMeanwhile() throws {
        var world = SimulatedWorld.playing(["a-20"])
        world.report { .corkRequested($0, true) }
        world.run(seconds: 0.5)
        world.loseSink()
        world.run(seconds: 3)
        #expect(world.status == .paused && world.core.reason == .interruptionEnded)
    }
}
