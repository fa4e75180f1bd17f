// SPDX-License-Identifier: Apache-2.0

import Testing
import Kernel

@testable import Playback

/// What follows for the music from what plugs are in (SPEC rows 138-147). Null sinks have no jacks: here they are told.
@Suite struct PlayerCoreRoutingTests {
    private static let speakers = OutputDevice(id: "spk", description: "Speakers", isDefault: true)
    private static let headphones = OutputDevice(id: "hp", description: "Headphones", formFactor: "headphone")

    private static func card(plugged: Bool) -> OutputDevice {
        OutputDevice(
            id: "card", description: "Card", isDefault: true,
            ports: [
                OutputPort(name: "speaker", description: "Speaker"),
                OutputPort(name: "phones", description: "Phones", isHeadphones: true, isAvailable: plugged),
            ], activePort: plugged ? "phones" : "speaker")
    }

    private func tell(_ world: inout SimulatedWorld, _ devices: [OutputDevice], current: String?) {
        world.send(.output(.devices(OutputDevices(devices: devices, current: current))))
    }

    private func reasons(_ world: SimulatedWorld) -> [RouteReason] {
        world.events.compactMap { if case .route(let reason, _, _) = $0 { reason } else { nil } }
    }

    private func onHeadphones() -> SimulatedWorld {
        var world = SimulatedWorld.playing(["a-60"])
        tell(&world, [Self.speakers, Self.headphones], current: "hp")
        world.run(seconds: 2)
        return world
    }

    @Test func theJackIsPulled_andTheMusicStops() {
        var world = SimulatedWorld.playing(["a-60"])
        tell(&world, [Self.card(plugged: true)], current: "card")
        world.run(seconds: 2)
        let place = world.position
        tell(&world, [Self.card(plugged: false)], current: "card")
        // With the very same input, not one later: every millisecond would be heard in the room.
        #expect(!world.sink.isStarted)
        world.run(seconds: 1)
        #expect(world.status == .paused && world.core.reason == .routeLost)
        #expect(abs(world.position - place) < 0.05)
        tell(&world, [Self.card(plugged: true)], current: "card")
        #expect(world.run { $0.status == .playing })
        #expect(reasons(world) == [.unknown, .oldDeviceUnavailable, .newDeviceAvailable])
    }

    @Test func theStreamIsGone_beforeTheListTells() throws {
        var world = onHeadphones()
        let generation = try #require(world.sink.generation)
        world.sink = SimulatedWorld.Sink()
        world.send(.output(.failed(generation, .deviceGone("unplugged"))))
        world.run(seconds: 1)
        #expect(world.status == .paused && world.core.reason == .routeLost)
        #expect(world.sink.generation == nil, "a stream was opened elsewhere")
        tell(&world, [Self.speakers], current: "spk")
        world.run(seconds: 200)
        #expect(world.status == .paused)
        // Too late to go on by itself.
        tell(&world, [Self.speakers, Self.headphones], current: "spk")
        world.run(seconds: 1)
        #expect(world.status == .paused)
        #expect(world.selected.last == "hp")
    }

    /// Real time: fifty times in ten seconds, 40 ms of the music were heard on the speakers.
    @Test func headphonesGoneAgain_beforeTheSoundIsThere() {
        var world = onHeadphones()
        tell(&world, [Self.speakers], current: "spk")
        world.run(seconds: 1)
        tell(&world, [Self.speakers, Self.headphones], current: "spk")
        #expect(world.core.goal.wantsSound)
        tell(&world, [Self.speakers], current: "spk")
        #expect(!world.sink.isStarted && !world.core.goal.wantsSound)
        world.run(seconds: 1)
        #expect(world.status == .paused && world.core.reason == .routeLost)
        tell(&world, [Self.speakers, Self.headphones], current: "spk")
        tell(&world, [Self.speakers, Self.headphones], current: "hp")
        #expect(world.run { $0.status == .playing })
    }

    @Test func otherDevicesGoneWithTheirStream_areFollowedAtOnce() throws {
        var world = SimulatedWorld.playing(["a-60"])
        let desk = OutputDevice(id: "desk", description: "Desk")
        tell(&world, [Self.speakers, desk], current: "desk")
        let generation = try #require(world.sink.generation)
        world.sink = SimulatedWorld.Sink()
        world.send(.output(.failed(generation, .deviceGone("unplugged"))))
        tell(&world, [Self.speakers], current: "spk")
        #expect(world.run(upTo: 0.5) { $0.status == .playing })
    }

    @Test func aDisplacedStream_isReplacedAtThePlaceThatWasHeard() throws {
        var world = SimulatedWorld.playing(["a-60"])
        world.run(seconds: 2)
        let generation = try #require(world.sink.generation)
        world.send(.output(.displaced(generation)))
        let place = world.position
        #expect(world.run(upTo: 0.5) { $0.sink.generation != generation && $0.status == .playing })
        #expect(world.position - place < 0.3 && world.position >= place)
        let statuses = world.events.compactMap { event -> PlayerStatus? in
            if case .status(let status, _, _, _, _, _, _) = event { status } else { nil }
        }
        #expect(!statuses.contains(.paused))
    }

    @Test func aDisplacedStream_staysForTheEndOfTheCall() throws {
        var world = SimulatedWorld.playing(["a-60"])
        let generation = try #require(world.sink.generation)
        world.send(.output(.corkRequested(generation, true)))
        world.send(.output(.displaced(generation)))
        world.run(seconds: 2)
        #expect(world.sink.generation == generation && world.status == .interrupted)
        world.send(.output(.corkRequested(generation, false)))
        #expect(world.run { $0.sink.generation != generation && $0.status == .playing })
    }

    @Test func policyHold_waitsWithoutEnd() {
        var world = onHeadphones()
        world.apply { $0.routePolicy = .hold }
        tell(&world, [Self.speakers], current: "spk")
        world.run(seconds: 600)
        #expect(world.status == .interrupted && world.core.reason == .routeLost)
        tell(&world, [Self.speakers, Self.headphones], current: "spk")
        #expect(world.run { $0.status == .playing })
    }

    @Test func anotherOutputChosenMeanwhile_endsTheWait() {
        var world = onHeadphones()
        world.apply { $0.routePolicy = .hold }
        tell(&world, [Self.speakers], current: "spk")
        world.run(seconds: 1)
        world.command(.selectOutput("spk"))
        #expect(world.run { $0.status == .playing })
    }

    @Test func anotherPolicyMeanwhile_endsTheWait() {
        var world = onHeadphones()
        world.command(.apply(.with { $0.routePolicy = .hold }))
        tell(&world, [Self.speakers], current: "spk")
        world.command(.apply(.with { $0.routePolicy = .pause }))
        world.run(seconds: 1)
        #expect(world.status == .paused && world.core.reason == .routeLost)
        #expect(world.lateOrDoubleReplies == 0)
    }

    @Test func theConfiguredDevice_isReportedWhileItIsMissing_andTakenWhenItAppears() {
        var world = SimulatedWorld(device: "desk")
        let desk = OutputDevice(id: "desk", description: "Desk")
        #expect(world.core.output.missing == nil)
        tell(&world, [Self.speakers], current: "spk")
        #expect(world.core.output.missing == "desk" && !world.core.output.devices.isChosen)
        tell(&world, [Self.speakers, desk], current: "spk")
        #expect(world.selected.last == "desk")
        world.send(.output(.devices(OutputDevices(devices: [Self.speakers, desk], current: "desk", isChosen: true))))
        #expect(world.core.output.missing == nil && world.core.output.devices.isChosen)
        tell(&world, [Self.speakers], current: "spk")
        #expect(world.core.output.missing == "desk")
        world.command(.selectOutput(nil))
        #expect(world.core.output.missing == nil)
        tell(&world, [Self.speakers, desk], current: "spk")
        #expect(world.selected.last == .some(nil))
    }

    @Test func theReasonOfAChoice_isTold_whenTheSoundIsThere() {
        var world = SimulatedWorld.playing(["a-60"])
        let devices = [Self.speakers, OutputDevice(id: "desk", description: "Desk")]
        tell(&world, devices, current: "spk")
        world.command(.selectOutput("desk"))
        #expect(reasons(world) == [.unknown])
        world.send(.output(.devices(OutputDevices(devices: devices, current: "desk", isChosen: true))))
        #expect(reasons(world) == [.unknown, .override])
        #expect(world.core.output.devices.isChosen)
    }

    private static let kitchen = [speakers, OutputDevice(id: "kitchen", description: "Kitchen")]

    @Test func aBorrowedOutput_isGivenBackWhenTheSoundEnds() {
        var world = SimulatedWorld.with(["a-60"], play: false)
        tell(&world, Self.kitchen, current: "spk")
        world.run(seconds: 1)
        world.command(.borrowOutput("kitchen"))
        #expect(world.selected.last == "kitchen")
        tell(&world, Self.kitchen, current: "kitchen")
        // Until the alarm plays, it may take a while.
        world.run(seconds: 5)
        world.command(.play(.current, position: nil))
        #expect(world.run { $0.status == .playing })
        #expect(world.selected.last == "kitchen" && world.core.settings.outputDevice == nil)
        world.command(.pause)
        // Not while it fades out.
        #expect(world.selected.last == "kitchen")
        #expect(world.run { $0.status == .paused })
        world.run(seconds: 0.1)
        #expect(world.selected.last == .some(nil))
        tell(&world, Self.kitchen, current: "spk")
        world.command(.play(.current, position: nil))
        world.run(seconds: 1)
        #expect(world.selected.count == 2)
    }

    @Test func aBorrowedOutput_givesWayToAChoice_andToWhatIsNotThere() {
        var world = SimulatedWorld.playing(["a-60"])
        tell(&world, Self.kitchen, current: "spk")
        world.command(.selectOutput("spk"))
        world.command(.borrowOutput("attic"))
        #expect(world.selected == ["spk"])
        world.command(.borrowOutput("kitchen"))
        #expect(world.selected.last == "kitchen" && world.core.settings.outputDevice == "spk")
        // It goes while it is used.
        tell(&world, [Self.speakers], current: "spk")
        #expect(world.selected.last == "spk")
        tell(&world, Self.kitchen, current: "kitchen")
        world.command(.selectOutput("kitchen"))
        world.command(.pause)
        world.run(seconds: 1)
        #expect(world.selected.last == "kitchen" && world.core.settings.outputDevice == "kitchen")
    }

    @Test func whatTheSessionAskedFor_isNoHandOfOthers() {
        var world = SimulatedWorld.playing(["a-60"])
        let devices = [Self.speakers, OutputDevice(id: "loud", description: "Loud", formFactor: "speaker")]
        tell(&world, devices, current: "spk")
        var rules = SessionRules()
        rules.routes.prefersSpeaker = true
        world.command(.applyRules(rules))
        #expect(world.selected.last == "loud")
        world.send(.output(.devices(OutputDevices(devices: devices, current: "loud", isChosen: true))))
        #expect(reasons(world) == [.unknown, .categoryChange])
        #expect(!world.core.output.devices.isChosen)
        world.command(.applyRules(SessionRules()))
        #expect(world.selected.last == .some(nil))
    }

    /// What the sound server knows of a stream's time is of before the sleep (SPEC row 143).
    @Test(arguments: [false, true])
    func wakingUp_makesANewStream_atTheSamePlace(_ isPaused: Bool) {
        var world = SimulatedWorld.playing(["a-60"])
        tell(&world, [Self.speakers], current: "spk")
        world.run(seconds: 1)
        if isPaused { world.command(.pause) }
        let before = world.core.stream.generation
        world.command(.interruption(InterruptionNotice(isBeginning: true, source: .sleep)))
        world.run(seconds: 1)
        let place = world.position
        #expect(world.core.stream.generation == before)
        world.command(.interruption(InterruptionNotice(isBeginning: false, source: .sleep)))
        #expect(world.run { $0.status == (isPaused ? .paused : .playing) && $0.core.routing.leaving == nil })
        world.run(seconds: 0.05)
        #expect(world.core.stream.generation != before)
        #expect(abs(world.position - place) < 0.1)
    }

    @Test func wakingUp_tellsTheRoute() {
        var world = SimulatedWorld.playing(["a-60"])
        tell(&world, [Self.speakers], current: "spk")
        for begins in [true, false] {
            world.command(.interruption(InterruptionNotice(isBeginning: begins, source: .sleep)))
        }
        #expect(reasons(world).last == .wakeFromSleep)
    }
}
