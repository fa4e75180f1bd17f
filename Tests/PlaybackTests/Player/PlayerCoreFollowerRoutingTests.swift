// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Playback

@Suite struct PlayerCoreFollowerRoutingTests {
    private static let speakers = OutputDevice(id: "spk", description: "Speakers", isDefault: true)
    private static let amplifier = OutputDevice(id: "amp", description: "Amplifier")
    private static let headphones = OutputDevice(id: "hp", description: "Headphones", formFactor: "headphone")

    /// On the default output it would play in another room, or double its leader.
    @Test(arguments: ["return", "choice", "leave"])
    func aFollower_waitsForItsOwnOutput(until end: String) {
        var world = SimulatedWorld.playing(["a-60"])
        world.apply { $0.leader = "main" }
        world.report([Self.speakers, Self.amplifier], current: "spk")
        world.command(.selectOutput("amp"))
        world.report([Self.speakers, Self.amplifier], current: "amp")
        world.run(seconds: 2)
        let place = world.position
        world.report([Self.speakers], current: "spk")
        // Within the same input.
        #expect(!world.sink.isStarted)
        world.run(seconds: 1)
        #expect(world.status == .interrupted && world.core.reason == .routeLost)
        // A new stream is made on the right device, a moved one would play on the wrong one for a moment.
        #expect(world.sink.generation == nil && world.core.current != nil)
        // The leader pauses and plays.
        world.command(.pauseWithLeader)
        world.run(seconds: 1)
        world.command(.play(.current))
        world.run(seconds: 600)
        #expect(world.status == .interrupted && world.sink.generation == nil && world.mostSpins < 5)
        let streams = world.opened
        switch end {
        case "return": world.report([Self.speakers, Self.amplifier], current: "amp")
        case "choice": world.command(.selectOutput("spk"))
        default: world.apply { $0.leader = .some(nil) }
        }
        #expect(world.selected.last == (end == "return" ? "amp" : end == "choice" ? "spk" : .some(nil)))
        #expect(world.run { $0.status == .playing } && world.opened == streams + 1)
        #expect(abs(world.position - place) < 0.1)
    }

    /// Headphones that nobody chose. A pause would be ended by the leader, which plays on.
    @Test(arguments: [false, true])
    func aFollowersLostHeadphones_areAwaited(leaves: Bool) {
        var world = SimulatedWorld.playing(["a-60"])
        world.apply { $0.leader = "main" }
        world.report([Self.speakers, Self.headphones], current: "hp")
        world.run(seconds: 2)
        world.report([Self.speakers], current: "spk")
        #expect(!world.sink.isStarted)
        world.command(.play(.current))
        world.run(seconds: 600)
        #expect(world.status == .interrupted && world.core.reason == .routeLost && !world.sink.isStarted)
        if leaves {
            world.apply { $0.leader = .some(nil) }
            #expect(world.status == .paused && world.core.reason == .routeLost)
        } else {
            world.report([Self.speakers, Self.headphones], current: "hp")
            #expect(world.run { $0.status == .playing })
        }
    }

    /// Lost in a pause of the group, or before the player joined it: the leader's play is not heard on the speakers.
    @Test(arguments: [false, true])
    func headphonesThatAreLostInSilence_areAwaited(joinsLater: Bool) {
        var world = SimulatedWorld.playing(["a-60"])
        if !joinsLater { world.apply { $0.leader = "main" } }
        world.report([Self.speakers, Self.headphones], current: "hp")
        if !joinsLater { world.command(.pauseWithLeader) }
        world.run(seconds: 1)
        world.report([Self.speakers], current: "spk")
        world.run(seconds: 1)
        #expect(world.status == .paused)
        if joinsLater { world.apply { $0.leader = "main" } }
        world.command(.play(.current))
        world.run(seconds: 300)
        #expect(world.status == .interrupted && world.core.reason == .routeLost && !world.sink.isStarted)
        world.command(.pauseWithLeader)
        world.report([Self.speakers, Self.headphones], current: "hp")
        world.run(seconds: 1)
        #expect(world.status == .paused)
        world.command(.play(.current))
        #expect(world.run { $0.status == .playing })
    }

    /// The headphones came back too late to resume the pause, or the user has chosen the speakers since.
    @Test(arguments: [false, true])
    func aPlayerWhoseDeviceIsThere_followsAtOnce(isChosen: Bool) {
        var world = SimulatedWorld.playing(["a-60"])
        world.report([Self.speakers, Self.headphones], current: "hp")
        world.run(seconds: 1)
        world.report([Self.speakers], current: "spk")
        world.run(seconds: 200)
        #expect(world.status == .paused && world.core.reason == .routeLost)
        if isChosen {
            world.command(.selectOutput("spk"))
        } else {
            world.report([Self.speakers, Self.headphones], current: "hp")
        }
        world.apply { $0.leader = "main" }
        world.command(.play(.current))
        #expect(world.run { $0.status == .playing })
    }

    /// A leader that pauses keeps its follower silent when the headphones return.
    @Test func aReturnOfTheHeadphones_doesNotStartAFollower() {
        var world = SimulatedWorld.playing(["a-60"])
        world.report([Self.speakers, Self.headphones], current: "hp")
        world.run(seconds: 1)
        world.report([Self.speakers], current: "spk")
        world.apply { $0.leader = "main" }
        world.report([Self.speakers, Self.headphones], current: "hp")
        world.run(seconds: 1)
        #expect(world.status == .paused)
    }

    @Test func aLeaderOrAFollowerWithAnAlarm_playsWithoutItsOutput() {
        var world = SimulatedWorld.playing(["a-60"])
        world.report([Self.speakers, Self.amplifier], current: "spk")
        world.command(.selectOutput("amp"))
        world.report([Self.speakers, Self.amplifier], current: "amp")
        world.report([Self.speakers], current: "spk")
        world.run(seconds: 1)
        #expect(world.status == .playing && world.core.output.missing == "amp")
        world.apply { $0.leader = "main" }
        world.run(seconds: 1)
        #expect(world.status == .interrupted)
        world.command(.borrowOutput("spk"))
        #expect(world.run { $0.status == .playing })
    }

    /// The null and the file output have one device. The choice stays saved for PulseAudio, and none is awaited.
    @Test func aFollowerWithAChoiceForAnotherOutput_plays() {
        var saved = SavedPlayer()
        saved.settings.outputDevice = "desk"
        saved.settings.leader = "main"
        var world = SimulatedWorld(saved: saved)
        let null = OutputDevice(id: "null", description: "None", isDefault: true)
        world.send(.output(.devices(OutputDevices(devices: [null], current: "null", isFixed: true))))
        #expect(world.core.output.missing == nil && world.core.settings.outputDevice == "desk")
        world.add(["a-60"], play: true)
        #expect(world.run { $0.status == .playing })
    }
}
