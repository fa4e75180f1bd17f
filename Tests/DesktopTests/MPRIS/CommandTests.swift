// SPDX-License-Identifier: Apache-2.0

@testable import Desktop
import Playback
import Testing

struct CommandTests {
    let harness = ObjectHarness()

    @Test func eachCommand_canBeDisabled() {
        harness.play(1)
        let switches: [(WritableKeyPath<RemoteSettings.Commands, Bool>, property: String, member: String)] = [
            (\.play, "CanPlay", "Play"), (\.pause, "CanPause", "Pause"), (\.next, "CanGoNext", "Next"),
            (\.previous, "CanGoPrevious", "Previous"),
        ]
        for (path, property, member) in switches {
            #expect(harness.get(property) == .flag(true))
            #expect(harness.command(member) != nil)
            harness.player.change { $0.settings.remote.commands[keyPath: path] = false }
            #expect(harness.signals() == ["PropertiesChanged(\(property))"])
            #expect(harness.get(property) == .flag(false))
            #expect(harness.command(member) == nil)
        }
        harness.player.change { $0.settings.remote.commands.seek = false }
        #expect(harness.signals() == ["PropertiesChanged(CanSeek)"])
        #expect(harness.command("Seek", .int64(1_000_000)) == nil)
    }

    @Test func oneSwitch_disablesAllCommands() {
        harness.play(1)
        harness.player.change { $0.settings.remote.commands.enabled = false }
        #expect(harness.signals().last == "PropertiesChanged(CanEditTracks)")
        for member in ["Play", "Pause", "PlayPause", "Stop", "Next", "Previous"] {
            #expect(harness.command(member) == nil)
        }
        #expect(harness.command("OpenUri", .text("a.mp3")) == nil)
        guard case .failure(let error) = harness.set("Volume", .double(0.5)) else { return #expect(Bool(false)) }
        #expect(error.name.hasSuffix("PropertyReadOnly"))
    }

    @Test func skipMode_movesWithinTheItem() {
        harness.player.play(1)
        harness.player.change {
            $0.settings.remote.commands.skip = true
            $0.settings.remote.commands.skipInterval = 15
        }
        guard case .seek(.offset(15))? = harness.command("Next"),
            case .seek(.offset(-15))? = harness.command("Previous")
        else { return #expect(Bool(false)) }
    }

    @Test func playAndPauseAreDistinct_playPauseToggles() {
        harness.player.play()
        guard case .play(.current, nil)? = harness.command("Play"), case .pause? = harness.command("Pause"),
            case .toggle? = harness.command("PlayPause")
        else { return #expect(Bool(false)) }
    }

    @Test func setPosition_seeksWithinTheCurrentTrackOnly() {
        harness.player.play()
        let path = BusValue.path(TrackPath.text(harness.player.items[0].id))
        guard case .seek(.position(3))? = harness.command("SetPosition", path, .int64(3_000_000)) else {
            return #expect(Bool(false))
        }
        #expect(harness.command("SetPosition", path, .int64(-1)) == nil)
        #expect(harness.command("SetPosition", path, .int64(10_000_001)) == nil)
        let other = BusValue.path(TrackPath.text(harness.player.items[1].id))
        #expect(harness.command("SetPosition", other, .int64(3_000_000)) == nil)
        #expect(harness.command("SetPosition", .path("/nonsense"), .int64(3_000_000)) == nil)
    }

    @Test func volume_isClampedAndUnmutes() {
        harness.player.change { $0.settings.muted = true }
        _ = harness.signals()
        #expect(harness.get("Volume") == .double(0))
        func set(_ value: Double) -> SettingsPatch? {
            if case .command(.apply(let patch)) = harness.set("Volume", .double(value)) { patch } else { nil }
        }
        #expect(set(0.5)?.volume == 0.125)
        #expect(set(0.5)?.muted == false)
        #expect(set(-3)?.volume == 0)
        #expect(set(7)?.volume == 1)
        #expect(set(.nan) == nil)
    }

    @Test func aRateOfZero_pauses() {
        harness.player.play()
        func set(_ rate: Double) -> Answer { harness.set("Rate", .double(rate)) }
        guard case .command(.pause) = set(0), case .command(.apply) = set(1.5), case .failure = set(-1) else {
            return #expect(Bool(false))
        }
        harness.player.change { $0.settings.remote.commands.pause = false }
        guard case .values = set(0) else { return #expect(Bool(false)) }
    }

    @Test(
        arguments: [
            ("UnknownInterface", "a.b", "C", []), ("UnknownMethod", InterfaceName.player, "Fly", []),
            ("InvalidArgs", InterfaceName.player, "Seek", []),
            ("UnknownProperty", InterfaceName.properties, "Get", [.text(InterfaceName.player), .text("Nothing")]),
            ("UnknownInterface", InterfaceName.properties, "GetAll", [.text("x")]),
        ] as [(String, String, String, [BusValue])])
    func invalidCalls_areRejectedByName(name: String, interface: String, member: String, arguments: [BusValue]) {
        guard case .failure(let error) = harness.object.answer(interface, member, arguments) else {
            return #expect(Bool(false))
        }
        #expect(error.name == "org.freedesktop.DBus.Error." + name)
    }

    @Test(
        arguments: [("InvalidArgs", "Volume", .text("loud")), ("PropertyReadOnly", "CanPlay", .flag(true))]
            as [(String, String, BusValue)])
    func invalidValues_areRejectedByName(name: String, property: String, value: BusValue) {
        guard case .failure(let error) = harness.set(property, value) else { return #expect(Bool(false)) }
        #expect(error.name == "org.freedesktop.DBus.Error." + name)
    }
}
