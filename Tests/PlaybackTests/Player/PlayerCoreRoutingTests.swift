// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Playback

/// Reactions to device changes (SPEC rows 138-147). Null sinks have no jacks, so jacks are simulated here.
@Suite struct PlayerCoreRoutingTests {
    private static let speakers = OutputDevice(id: "spk", description: "Speakers", isDefault: true)
    private static let headphones = OutputDevice(id: "hp", description: "Headphones", formFactor: "headphone")

    private func reasons(_ world: SimulatedWorld) -> [RouteReason] {
        world.events.compactMap { if case .route(let reason, _, _) = $0 { reason } else { nil } }
    }

    private func onHeadphones() -> SimulatedWorld {
        var world = SimulatedWorld.playing(["a-60"])
        world.report([Self.speakers, Self.headphones], current: "hp")
        world.run(seconds: 2)
        return world
    }

    @Test func theJackIsPulled_andTheMusicStops() {
        var world = SimulatedWorld.playing(["a-60"])
        world.report([RouteDecisionTests.card(plugged: true)], current: "card")
        world.run(seconds: 2)
        let place = world.position
        world.report([RouteDecisionTests.card(plugged: false)], current: "card")
        // Within the same input: each millisecond would be heard in the room.
        #expect(!world.sink.isStarted)
        world.run(seconds: 1)
        #expect(world.status == .paused && world.core.reason == .routeLost)
        #expect(abs(world.position - place) < 0.05)
        world.report([RouteDecisionTests.card(plugged: true)], current: "card")
        #expect(world.run { $0.status == .playing })
        #expect(reasons(world) == [.unknown, .oldDeviceUnavailable, .newDeviceAvailable])
    }

    @Test func theStreamFails_beforeTheListChanges() throws {
        var world = onHeadphones()
        let generation = try #require(world.sink.generation)
        world.sink = SimulatedWorld.Sink()
        world.send(.output(.failed(generation, .deviceGone("unplugged"))))
        world.run(seconds: 1)
        #expect(world.status == .paused && world.core.reason == .routeLost)
        #expect(world.sink.generation == nil, "a stream was opened elsewhere")
        world.report([Self.speakers], current: "spk")
        world.run(seconds: 200)
        #expect(world.status == .paused)
        // Too late to resume.
        world.report([Self.speakers, Self.headphones], current: "spk")
        world.run(seconds: 1)
        #expect(world.status == .paused)
        #expect(world.selected.last == "hp")
    }

    /// The list that confirms the loss comes late: it does not stop what the user has started since.
    @Test(arguments: [RoutePolicy.pause, .hold]) func playAfterALoss_beforeTheListChanges(policy: RoutePolicy) throws {
        var world = onHeadphones()
        world.apply { $0.routePolicy = policy }
        let generation = try #require(world.sink.generation)
        world.sink = SimulatedWorld.Sink()
        world.send(.output(.failed(generation, .deviceGone("unplugged"))))
        world.run(seconds: 0.1)
        #expect(world.core.reason == .routeLost)
        world.command(.play(.current))
        world.report([Self.speakers], current: "hp")
        world.report([Self.speakers], current: "spk")
        #expect(world.run(upTo: 1) { $0.status == .playing })
    }

    /// The device is still listed, and in use until the list that follows.
    @Test func playAfterTheSessionForbadeTheDevice_beforeTheListChanges() {
        let devices = [Self.speakers, OutputDevice(id: "bt", description: "Box", bus: "bluetooth")]
        var world = SimulatedWorld.playing(["a-60"])
        world.report(devices, current: "bt")
        world.run(seconds: 1)
        world.applyRules { $0.routes.allowsBluetooth = false }
        #expect(world.core.reason == .routeLost)
        world.command(.play(.current))
        world.report(devices, current: "spk")
        #expect(world.core.goal.wantsSound)
        // Allowed again, and forbidden before the sound is there.
        world.command(.applyRules(SessionRules()))
        #expect(world.selected.last == "bt")
        world.applyRules { $0.routes.allowsBluetooth = false }
        #expect(!world.core.goal.wantsSound)
    }

    /// The sound server moves the sound to the device to which the revoked choice had moved it.
    @Test func aDeviceThatReturns_doesNotGetTheSoundBack_onceTheDefaultWasChosen() {
        let desk = OutputDevice(id: "desk", description: "Desk")
        var world = SimulatedWorld.playing(["a-60"])
        world.report([Self.speakers, desk], current: "spk")
        world.command(.selectOutput("desk"))
        world.report([Self.speakers, desk], current: "desk")
        world.report([Self.speakers], current: "spk")
        world.command(.selectOutput(nil))
        world.report([Self.speakers, desk], current: "desk")
        #expect(world.selected.last == "spk")
        world.report([Self.speakers, desk], current: "spk")
        #expect(world.selected.last == .some(nil) && world.status == .playing)
        // Somebody moves it there.
        world.report([Self.speakers, desk], current: "desk")
        #expect(world.selected.last == "desk")
    }

    /// Another program may move the sound to a device that the session forbids.
    @Test func aForbiddenDeviceThatPlays_stopsTheMusicWhenItIsUnplugged() {
        let devices = [Self.speakers, OutputDevice(id: "bt", description: "Box", bus: "bluetooth")]
        var world = SimulatedWorld.playing(["a-60"])
        world.applyRules { $0.routes.allowsBluetooth = false }
        world.report(devices, current: "bt")
        world.report(devices, current: "bt")
        #expect(!world.core.goal.wantsSound)
        world.command(.play(.current))
        world.report(devices, current: "bt")
        #expect(world.core.goal.wantsSound)
        world.report([Self.speakers], current: "spk")
        #expect(!world.core.goal.wantsSound && world.core.reason == .routeLost)
        #expect(reasons(world).last == .oldDeviceUnavailable)
    }

    /// Found in a live test: the speakers played 40 ms of music.
    @Test func headphonesGoneAgain_beforeTheSoundIsThere() {
        var world = onHeadphones()
        world.report([Self.speakers], current: "spk")
        world.run(seconds: 1)
        world.report([Self.speakers, Self.headphones], current: "spk")
        #expect(world.core.goal.wantsSound)
        world.report([Self.speakers], current: "spk")
        #expect(!world.sink.isStarted && !world.core.goal.wantsSound)
        world.run(seconds: 1)
        #expect(world.status == .paused && world.core.reason == .routeLost)
        world.report([Self.speakers, Self.headphones], current: "spk")
        world.report([Self.speakers, Self.headphones], current: "hp")
        #expect(world.run { $0.status == .playing })
    }

    @Test func otherDevicesGoneWithTheirStream_areFollowedAtOnce() throws {
        var world = SimulatedWorld.playing(["a-60"])
        let desk = OutputDevice(id: "desk", description: "Desk")
        world.report([Self.speakers, desk], current: "desk")
        let generation = try #require(world.sink.generation)
        world.sink = SimulatedWorld.Sink()
        world.send(.output(.failed(generation, .deviceGone("unplugged"))))
        world.report([Self.speakers], current: "spk")
        #expect(world.run(upTo: 0.5) { $0.status == .playing })
    }

    @Test func aDisplacedStream_isReplacedAtThePlaceThatWasHeard() throws {
        var world = SimulatedWorld.playing(["a-60"])
        world.run(seconds: 2)
        let generation = try #require(world.sink.generation)
        world.report { .displaced($0) }
        let place = world.position
        #expect(world.run(upTo: 0.5) { $0.sink.generation != generation && $0.status == .playing })
        #expect(world.position - place < 0.3 && world.position >= place)
        #expect(!world.statuses().contains(.paused))
    }

    @Test(arguments: [false, true]) func aScan_goesOnInTheNextStream(isLost: Bool) throws {
        var world = SimulatedWorld.playing(["a-60"])
        world.command(.scan(rate: 4))
        #expect(world.run { $0.core.positionClock.rate == 4 })
        let generation = try #require(world.sink.generation)
        if isLost { world.loseSink() } else { world.report { .displaced($0) } }
        #expect(world.run { $0.sink.generation != generation && $0.status == .playing })
        #expect(world.core.positionClock.rate == 4)
    }

    @Test func aDisplacedStream_staysForTheEndOfTheCall() throws {
        var world = SimulatedWorld.playing(["a-60"])
        let generation = try #require(world.sink.generation)
        world.report { .corkRequested($0, true) }
        world.report { .displaced($0) }
        world.run(seconds: 2)
        #expect(world.sink.generation == generation && world.status == .interrupted)
        world.report { .corkRequested($0, false) }
        #expect(world.run { $0.sink.generation != generation && $0.status == .playing })
    }

    @Test func policyHold_waitsWithoutEnd_unlessAnotherOutputOrPolicyEndsIt() {
        var held = onHeadphones()
        held.apply { $0.routePolicy = .hold }
        held.report([Self.speakers], current: "spk")
        var world = held
        world.run(seconds: 600)
        #expect(world.status == .interrupted && world.core.reason == .routeLost)
        world.report([Self.speakers, Self.headphones], current: "spk")
        #expect(world.run { $0.status == .playing })
        world = held
        world.run(seconds: 1)
        world.command(.selectOutput("spk"))
        #expect(world.run { $0.status == .playing })
        world = held
        world.apply { $0.routePolicy = .pause }
        world.run(seconds: 1)
        #expect(world.status == .paused && world.core.reason == .routeLost)
        #expect(world.lateOrDoubleReplies == 0)
    }

    @Test func theConfiguredDevice_isReportedWhileItIsMissing_andTakenWhenItAppears() {
        var world = SimulatedWorld(device: "desk")
        let desk = OutputDevice(id: "desk", description: "Desk")
        #expect(world.core.output.missing == nil)
        world.report([Self.speakers], current: "spk")
        #expect(world.core.output.missing == "desk" && !world.core.output.devices.isChosen)
        world.report([Self.speakers, desk], current: "spk")
        #expect(world.selected.last == "desk")
        world.report([Self.speakers, desk], current: "desk", isChosen: true)
        #expect(world.core.output.missing == nil && world.core.output.devices.isChosen)
        world.report([Self.speakers], current: "spk")
        #expect(world.core.output.missing == "desk")
        world.command(.selectOutput(nil))
        #expect(world.core.output.missing == nil)
        world.report([Self.speakers, desk], current: "spk")
        #expect(world.selected.last == .some(nil))
    }

    @Test func theReasonOfAChoice_isReported_whenTheDeviceIsInUse() {
        var world = SimulatedWorld.playing(["a-60"])
        let devices = [Self.speakers, OutputDevice(id: "desk", description: "Desk")]
        world.report(devices, current: "spk")
        world.command(.selectOutput("desk"))
        #expect(reasons(world) == [.unknown])
        world.report(devices, current: "desk", isChosen: true)
        #expect(reasons(world) == [.unknown, .override])
        #expect(world.core.output.devices.isChosen)
    }

    @Test func theReasonOfAChoiceThatMovesNothing_isNotThatOfTheNextChange() {
        let desk = OutputDevice(id: "desk", description: "Desk")
        let loud = OutputDevice(id: "loud", description: "Loud", formFactor: "speaker", isDefault: true)
        func reason(_ devices: [OutputDevice], _ change: (inout SimulatedWorld) -> Void) -> RouteReason? {
            var world = SimulatedWorld.playing(["a-60"])
            world.report(devices, current: devices[0].id)
            change(&world)
            world.report([desk], current: "desk")
            return reasons(world).last
        }
        #expect(reason([Self.speakers, desk]) { $0.command(.selectOutput(nil)) } == .oldDeviceUnavailable)
        #expect(reason([Self.speakers, desk]) { $0.command(.borrowOutput("spk")) } == .oldDeviceUnavailable)
        #expect(reason([loud, desk]) { $0.applyRules { $0.routes.prefersSpeaker = true } } == .oldDeviceUnavailable)
    }

    private static let kitchen = [speakers, OutputDevice(id: "kitchen", description: "Kitchen")]

    @Test func aBorrowedOutput_isGivenBackWhenTheSoundEnds() {
        var world = SimulatedWorld.with(["a-60"], play: false)
        world.report(Self.kitchen, current: "spk")
        world.run(seconds: 1)
        world.command(.borrowOutput("kitchen"))
        #expect(world.selected.last == "kitchen")
        world.report(Self.kitchen, current: "kitchen")
        // The alarm may take a while to start.
        world.run(seconds: 5)
        world.command(.play(.current))
        #expect(world.run { $0.status == .playing })
        #expect(world.selected.last == "kitchen" && world.core.settings.outputDevice == nil)
        world.command(.pause)
        // Not during the fade-out.
        #expect(world.selected.last == "kitchen")
        #expect(world.run { $0.status == .paused })
        world.run(seconds: 0.1)
        #expect(world.selected.last == .some(nil))
        world.report(Self.kitchen, current: "spk")
        world.command(.play(.current))
        world.run(seconds: 1)
        #expect(world.selected.count == 2)
    }

    @Test func aBorrowedOutput_givesWayToAChoice_andToWhatIsNotThere() {
        var world = SimulatedWorld.playing(["a-60"])
        world.report(Self.kitchen, current: "spk")
        world.command(.selectOutput("spk"))
        world.command(.borrowOutput("attic"))
        #expect(world.selected == ["spk"])
        world.command(.borrowOutput("kitchen"))
        #expect(world.selected.last == "kitchen" && world.core.settings.outputDevice == "spk")
        // The device disappears while in use.
        world.report([Self.speakers], current: "spk")
        #expect(world.selected.last == "spk")
        world.report(Self.kitchen, current: "kitchen")
        world.command(.selectOutput("kitchen"))
        world.command(.pause)
        world.run(seconds: 1)
        #expect(world.selected.last == "kitchen" && world.core.settings.outputDevice == "kitchen")
    }

    @Test func aDeviceForTheSession_isNotAMoveByOthers() {
        var world = SimulatedWorld.playing(["a-60"])
        let devices = [Self.speakers, OutputDevice(id: "loud", description: "Loud", formFactor: "speaker")]
        world.report(devices, current: "spk")
        world.applyRules { $0.routes.prefersSpeaker = true }
        #expect(world.selected.last == "loud")
        world.report(devices, current: "loud", isChosen: true)
        #expect(reasons(world) == [.unknown, .categoryChange])
        #expect(!world.core.output.devices.isChosen)
        world.command(.applyRules(SessionRules()))
        #expect(world.selected.last == .some(nil))
    }

    @Test func aDeviceForTheSessionThatIsInUse_isReportedAtOnce() {
        var world = SimulatedWorld.playing(["a-60"])
        let loud = OutputDevice(id: "loud", description: "Loud", formFactor: "speaker", isDefault: true)
        world.report([loud], current: "loud")
        world.applyRules { $0.routes.prefersSpeaker = true }
        #expect(reasons(world) == [.unknown, .categoryChange])
    }

    /// The sound server's timing of a stream predates the sleep (SPEC row 143).
    @Test(arguments: [false, true])
    func wakingUp_makesANewStream_atTheSamePlace(_ isPaused: Bool) {
        var world = SimulatedWorld.playing(["a-60"])
        world.report([Self.speakers], current: "spk")
        world.run(seconds: 1)
        if isPaused { world.command(.pause) }
        let before = world.core.stream.generation
        world.interrupt(.sleep)
        world.run(seconds: 1)
        let place = world.position
        #expect(world.core.stream.generation == before)
        world.endInterruption(.sleep)
        #expect(world.run { $0.status == (isPaused ? .paused : .playing) && $0.core.routing.replacing == nil })
        world.run(seconds: 0.05)
        #expect(world.core.stream.generation != before && reasons(world).last == .wakeFromSleep)
        #expect(abs(world.position - place) < 0.1)
    }
}
