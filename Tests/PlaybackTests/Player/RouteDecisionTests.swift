// SPDX-License-Identifier: Apache-2.0

import Testing
import Kernel

@testable import Playback

/// The complete table: devices before and now, and the decision (SPEC rows 137-147, 248).
@Suite struct RouteDecisionTests {
    private static func speakers(isDefault: Bool = true, isAvailable: Bool = true) -> OutputDevice {
        OutputDevice(id: "spk", description: "Speakers", isAvailable: isAvailable, isDefault: isDefault)
    }

    private static func headphones(isDefault: Bool = false, isAvailable: Bool = true) -> OutputDevice {
        OutputDevice(
            id: "hp", description: "Headphones", formFactor: "headphone", isAvailable: isAvailable, isDefault: isDefault
        )
    }

    private static func desk(isDefault: Bool = false) -> OutputDevice {
        OutputDevice(id: "desk", description: "Desk", isDefault: isDefault)
    }

    /// A sound card with a jack, as PulseAudio reports it.
    static func card(plugged: Bool, active: String? = nil) -> OutputDevice {
        OutputDevice(
            id: "card", description: "Card", isDefault: true,
            ports: [
                OutputPort(name: "speaker", description: "Speaker"),
                OutputPort(name: "phones", description: "Phones", isHeadphones: true, isAvailable: plugged),
            ], activePort: active ?? (plugged ? "phones" : "speaker"))
    }

    private func situation(
        _ devices: [OutputDevice], current: String?, known: [OutputDevice]?, previous: OutputDevice?
    ) -> RouteSituation {
        RouteSituation(
            devices: OutputDevices(devices: devices, current: current), known: known, previous: previous,
            now: MonotonicTime(nanoseconds: 1_000_000_000_000))
    }

    private func decide(
        _ devices: [OutputDevice], current: String? = "spk", known: [OutputDevice]?, previous: OutputDevice?
    ) -> RouteDecision {
        RouteDecision(situation(devices, current: current, known: known, previous: previous))
    }

    private func atTheJack(plugged: Bool, active: String? = nil, before: Bool = true) -> RouteDecision {
        let was = Self.card(plugged: before)
        return decide([Self.card(plugged: plugged, active: active)], current: "card", known: [was], previous: was)
    }

    /// Row 137: headphones, else the default, in any order of the list.
    @Test func takesHeadphones_atTheStart_elseTheDefault() {
        let (desk, speakers, headphones) = (Self.desk(), Self.speakers(), Self.headphones())
        for (devices, target) in [
            ([speakers, headphones], "hp"), ([headphones, speakers], "hp"), ([speakers, desk], nil),
            ([desk, speakers], nil), ([desk, speakers, headphones], "hp"),
            ([desk, Self.headphones(isDefault: true)], nil),
            ([speakers, Self.headphones(isAvailable: false)], nil),
        ] as [([OutputDevice], String?)] {
            let current = devices.first(where: \.isDefault)?.id
            let decision = decide(devices, current: current, known: nil, previous: nil)
            #expect(decision.target == target, "\(devices.map(\.id))")
            #expect(decision.reason == .unknown && decision.transport == .unchanged)
        }
    }

    @Test func aChoice_winsOverHeadphonesAtTheStart() {
        var situation = situation([Self.speakers(), Self.headphones()], current: "spk", known: nil, previous: nil)
        situation.chosen = "spk"
        #expect(RouteDecision(situation).target == "spk")
        situation.chosen = nil
        situation.filter.prefersSpeaker = true
        #expect(RouteDecision(situation).target == nil)
    }

    /// The devices that are plugged in. The default is the configured one, else the first.
    private struct Sockets {
        var configured: String?
        var plugged: [OutputDevice] = []
        var known: [OutputDevice]?
        var route: OutputDevice?
        var followed: String?
        var lost: RouteLoss?
        var asked: String?
        var transports: [RouteDecision.Transport] = []

        mutating func report() {
            let chosen = plugged.firstIndex { $0.id == configured } ?? 0
            for index in plugged.indices { plugged[index].isDefault = index == chosen }
            // Reported at the change, and again when the sound has moved.
            for _ in 0..<2 {
                let target = sounds
                let decision = RouteDecision(
                    RouteSituation(
                        devices: OutputDevices(devices: plugged, current: target), known: known, previous: route,
                        followed: followed, selected: asked, lost: lost,
                        now: MonotonicTime(nanoseconds: 1_000_000_000_000)))
                (followed, lost, asked) = (decision.followed, decision.lost, decision.target)
                transports.append(decision.transport)
                known = plugged
                route = plugged.first { $0.id == sounds }
            }
        }

        private var sounds: String? {
            plugged.contains { $0.id == asked } ? asked : plugged.first(where: \.isDefault)?.id
        }
    }

    private static let orders = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]]

    /// Row 137, the plug order matrix: headphones, else the default, else any device, in every order of plugging. The
    /// music stops only when the headphones disappear.
    @Test(arguments: [nil, "spk", "desk"], orders) func theBestOneIsTaken_inAnyOrder(configured: String?, comes: [Int])
    {
        for goes in Self.orders { plug(comes, unplug: goes, configured) }
    }

    private func plug(_ comes: [Int], unplug goes: [Int], _ configured: String?) {
        let devices = [Self.speakers(), Self.desk(), Self.headphones()]
        var sockets = Sockets(configured: configured)
        // Starts without a device.
        sockets.report()
        func best() -> String? {
            (sockets.plugged.first(where: \.isPrivate) ?? sockets.plugged.first(where: \.isDefault))?.id
        }
        for index in comes {
            sockets.plugged.append(devices[index])
            sockets.report()
            #expect(sockets.route?.id == best(), "\(comes): \(sockets.plugged.map(\.id))")
        }
        #expect(sockets.route?.id == "hp" && !sockets.transports.contains(.stop))
        for index in goes {
            sockets.transports = []
            sockets.plugged.removeAll { $0.id == devices[index].id }
            sockets.report()
            #expect(sockets.route?.id == best(), "\(comes), \(goes): \(sockets.plugged.map(\.id))")
            #expect(sockets.transports.contains(.stop) == (devices[index].id == "hp"))
        }
    }

    @Test(arguments: [RoutePolicy.pause, .hold, .follow])
    func headphonesGone(policy: RoutePolicy) {
        let both = [Self.speakers(), Self.headphones()]
        var situation = situation([Self.speakers()], current: "spk", known: both, previous: Self.headphones())
        situation.policy = policy
        situation.chosen = "hp"
        let decision = RouteDecision(situation)
        #expect(decision.transport == (policy == .follow ? .unchanged : .stop))
        #expect(decision.target == nil && decision.reason == .oldDeviceUnavailable)
        #expect(decision.lost?.device.id == "hp")
    }

    @Test func aPortChange_isALossOnlyWhenTheJackIsEmpty() {
        let unplugged = atTheJack(plugged: false)
        #expect(unplugged.transport == .stop && unplugged.reason == .oldDeviceUnavailable)
        #expect(atTheJack(plugged: false, active: "phones").transport == .stop, "before the port is left")
        let other = atTheJack(plugged: true, active: "speaker")
        #expect(other.transport == .unchanged && other.reason == .routeConfigurationChange)
        let pluggedIn = atTheJack(plugged: true, before: false)
        #expect(pluggedIn.transport == .unchanged && pluggedIn.reason == .newDeviceAvailable)
    }

    @Test func headphonesUnavailable_thoughListed() {
        let decision = decide(
            [Self.speakers(), Self.headphones(isAvailable: false)], known: [Self.speakers(), Self.headphones()],
            previous: Self.headphones())
        #expect(decision.transport == .stop && decision.reason == .oldDeviceUnavailable)
    }

    @Test func bluetoothGone_isALossOfItsKind() {
        let box = OutputDevice(id: "bt", description: "Box", formFactor: "speaker", bus: "bluetooth")
        #expect(decide([Self.speakers()], known: [Self.speakers(), box], previous: box).transport == .stop)
    }

    @Test(arguments: [(1.0, RoutePolicy.pause, true), (119, .pause, true), (121, .pause, false), (9_999, .hold, true)])
    func theSameHeadphonesBack(after seconds: Double, policy: RoutePolicy, resumes: Bool) {
        var situation = situation(
            [Self.speakers(), Self.headphones()], current: "spk", known: [Self.speakers()], previous: Self.speakers())
        situation.policy = policy
        situation.lost = RouteLoss(device: Self.headphones(), since: situation.now.advanced(bySeconds: -seconds))
        let decision = RouteDecision(situation)
        #expect(decision.target == "hp" && decision.reason == .newDeviceAvailable)
        #expect(decision.transport == (resumes ? .resume : .unchanged))
        #expect((decision.lost != nil) == resumes, "the sound is on its way")
        (situation.devices.current, situation.selected, situation.lost) = ("hp", "hp", decision.lost)
        #expect(RouteDecision(situation).lost == nil, "the sound is there")
    }

    @Test func aChoiceMadeMeanwhile_isKept() {
        var situation = situation(
            [Self.speakers(), Self.headphones()], current: "spk", known: [Self.speakers()], previous: Self.speakers())
        situation.chosen = "spk"
        situation.lost = RouteLoss(device: Self.headphones(), since: situation.now)
        let decision = RouteDecision(situation)
        #expect(
            decision.target == "spk" && decision.transport == .unchanged, "the speakers are not to begin by themselves")
    }

    @Test func otherDeviceGone_isFollowed() {
        let decision = decide([Self.speakers()], known: [Self.speakers(), Self.desk()], previous: Self.desk())
        #expect(decision.transport == .unchanged && decision.target == nil && decision.reason == .oldDeviceUnavailable)
    }

    @Test(arguments: [nil, "spk"])
    func headphonesThatCome(chosen: String?) {
        var situation = situation(
            [Self.speakers(), Self.headphones()], current: "spk", known: [Self.speakers()], previous: Self.speakers())
        situation.chosen = chosen
        let decision = RouteDecision(situation)
        #expect(decision.target == (chosen ?? "hp") && decision.transport == .unchanged)
    }

    @Test func aDeskThatComes_isNotFollowed() {
        let decision = decide([Self.speakers(), Self.desk()], known: [Self.speakers()], previous: Self.speakers())
        #expect(decision.target == nil && decision.reason == nil)
    }

    @Test func anotherDefault_isFollowed_unlessOneWasChosen() {
        var situation = situation(
            [Self.speakers(isDefault: false), Self.desk(isDefault: true)], current: "desk",
            known: [Self.speakers(), Self.desk()], previous: Self.speakers())
        #expect(RouteDecision(situation).reason == .override)
        situation.devices.current = "spk"
        situation.chosen = "spk"
        #expect(RouteDecision(situation).target == "spk" && RouteDecision(situation).reason == nil)
    }

    @Test func anotherDefault_endsTheFollowingOfHeadphones() {
        var situation = situation(
            [Self.speakers(isDefault: false), Self.headphones(), Self.desk(isDefault: true)], current: "hp",
            known: [Self.speakers(), Self.headphones(), Self.desk()], previous: Self.headphones())
        situation.followed = "hp"
        let decision = RouteDecision(situation)
        #expect(decision.target == nil && decision.followed == nil && decision.transport == .unchanged)
    }

    @Test func movedByAnotherProgram_staysThere() {
        let devices = [Self.speakers(), Self.desk()]
        let decision = decide(devices, current: "desk", known: devices, previous: Self.speakers())
        #expect(decision.target == "desk" && decision.reason == .override)
    }

    @Test func movedByHandToTheDefault_followsItAgain() {
        let devices = [Self.speakers(), Self.desk()]
        var situation = situation(devices, current: "spk", known: devices, previous: Self.desk())
        (situation.followed, situation.selected) = ("desk", "desk")
        let decision = RouteDecision(situation)
        #expect(decision.target == nil && decision.followed == nil && decision.reason == .override)
    }

    @Test func nothingLeft() {
        let gone = decide([], current: nil, known: [Self.speakers()], previous: Self.speakers())
        #expect(gone.reason == .noSuitableRoute)
        #expect(decide([Self.desk()], current: "desk", known: [], previous: nil).reason == .newDeviceAvailable)
    }

    @Test func theSession_mayForbidBluetoothAndNetwork() {
        let bluetooth = OutputDevice(id: "bt", description: "", bus: "bluetooth", isDefault: true)
        let airplay = OutputDevice(id: "airplay", description: "", isNetwork: true)
        var situation = situation(
            [bluetooth, airplay, Self.desk()], current: "bt", known: nil, previous: nil)
        #expect(RouteDecision(situation).target == nil)
        situation.filter.allowsBluetooth = false
        situation.filter.allowsNetwork = false
        #expect(RouteDecision(situation).target == "desk")
        // Devices that are not admitted do not return either.
        situation.known = situation.devices.devices
        situation.lost = RouteLoss(device: bluetooth, since: situation.now)
        #expect(RouteDecision(situation).target == "desk" && RouteDecision(situation).transport == .unchanged)
        situation.chosen = "airplay"
        #expect(RouteDecision(situation).target == "desk")
    }

    @Test func theSession_mayPreferTheSpeaker() {
        let headset = OutputDevice(id: "hs", description: "", formFactor: "headset", isDefault: true)
        let speaker = OutputDevice(id: "loud", description: "", formFactor: "speaker")
        var situation = situation([headset, speaker], current: "hs", known: nil, previous: nil)
        #expect(RouteDecision(situation).target == nil)
        situation.followed = "hs"
        #expect(RouteDecision(situation).target == "hs")
        situation.filter.prefersSpeaker = true
        #expect(RouteDecision(situation).target == "loud")
    }
}
