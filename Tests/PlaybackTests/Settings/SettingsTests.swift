// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Playback

@Suite struct SettingsTests {
    @Test func everySettingHasItsOwnKeyRowAndPath() {
        let table = PlayerSettings.table
        #expect(Set(table.map(\.key)).count == table.count)
        #expect(Set(table.compactMap(\.row)).count == table.compactMap(\.row).count)
        for setting in table {
            #expect(table.filter { $0.path == setting.path }.map(\.key) == [setting.key])
            #expect(setting.accepts(setting.defaultValue) || setting.form == .name, "\(setting.key)")
        }
    }

    @Test func aPatchChangesItsSettings_andNoOther() throws {
        var patch = SettingsPatch()
        patch.volume = 0.25
        patch.repeats = .all
        patch.leader = .some(nil)
        patch[dynamicMember: \.remote.commands.skipInterval] = 15
        patch[dynamicMember: \.remote.commands.skip] = true
        #expect((patch.volume, patch.balance) == (0.25, nil))
        #expect(patch.leader == .some(nil))
        var expected = PlayerSettings()
        expected.volume = 0.25
        expected.repeats = .all
        expected.remote.commands.skip = true
        expected.remote.commands.skipInterval = 15
        #expect(try PlayerSettings().checked(patch) == expected)
        patch.volume = nil
        expected.volume = 1
        #expect(try PlayerSettings().checked(patch) == expected)
    }

    @Test(arguments: [
        ("volume", SettingValue.number(1.5)), ("balance", .number(.nan)), ("volume", .number(-.infinity)),
        ("muted", .number(1)),
        ("playbackRate", .number(0.2)), ("playbackRate", .number(4.01)), ("pitch", .number(1_201)),
        ("preservePitch", .number(1)),
        ("repeat", .text("twice")), ("name", .text("")), ("name", .text("a\nb")), ("leader", .text("a\0")),
        ("previousRestartsAfter", .none), ("remoteCommands.skipInterval", .number(0)),
        ("fades.pause", .number(2.1)),
        ("remoteCommands.skip", .flag(true)),
    ])
    func aValueThatDoesNotFit_isRefusedWithItsMember(key: String, value: SettingValue) throws {
        let setting = try #require(PlayerSettings.table.first { $0.key == key })
        var patch = SettingsPatch()
        patch[setting] = value
        do {
            _ = try PlayerSettings().checked(patch)
            Issue.record("it is accepted")
        } catch {
            #expect((error.code, error.member) == (.outOfRange, key))
        }
    }

    @Test func aStepOfTheLevel_isClamped() throws {
        var patch = SettingsPatch()
        patch.levelBy = 0.4
        var settings = PlayerSettings()
        settings.level = 0.8
        #expect(settings.applying(patch).level == 1)
        patch.levelBy = -0.4
        #expect(settings.applying(patch).level == 0.4)
    }

    @Test func aFollowerLeavesTheOrderToItsLeader() throws {
        var settings = PlayerSettings()
        settings.shuffle = true
        settings.repeats = .one
        settings.volume = 0.5
        var patch = SettingsPatch()
        patch.leader = "kitchen"
        #expect(patch.split.leaders == SettingsPatch())
        let following = settings.applying(patch)
        #expect((following.shuffle, following.repeats, following.volume) == (false, .off, 0.5))
        patch.consume = true
        #expect(patch.split.leaders.consume == true)
    }
}
