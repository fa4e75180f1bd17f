// SPDX-License-Identifier: Apache-2.0

import GRDB
import Playback
import Testing

@testable import Store

@Suite struct SavedSettingsTests {
    /// The rows as 0.1.0 writes them.
    private static let rows: [String: DatabaseValue] = [
        "name": "Küche".databaseValue, "volume": 0.25.databaseValue, "muted": true.databaseValue,
        "balance": (-0.5).databaseValue, "repeat": "one".databaseValue, "shuffle": true.databaseValue,
        "consume": true.databaseValue, "stopAfterCurrent": true.databaseValue, "autoPlay": true.databaseValue,
        "previousRestartsAfter": 0.0.databaseValue, "outputDevice": "usb".databaseValue,
        "routePolicy": "hold".databaseValue, "interruptionPolicy": "notify-only".databaseValue,
        "autoResume": false.databaseValue, "interruptionTimeout": 12.5.databaseValue,
        "remote.mpris": false.databaseValue, "remote.showsMetadata": false.databaseValue,
        "remote.prefersTags": true.databaseValue, "remote.enabled": false.databaseValue,
        "remote.play": false.databaseValue, "remote.pause": false.databaseValue, "remote.next": false.databaseValue,
        "remote.previous": false.databaseValue, "remote.seek": false.databaseValue, "remote.skip": true.databaseValue,
        "remote.skipInterval": 15.0.databaseValue,
    ]

    @Test func rowsOfTheFirstRelease_areReadAndWrittenUnchanged() {
        var settings = PlayerSettings()
        #expect(settings.take(Self.rows) == 0)
        #expect((settings.name, settings.volume, settings.repeats) == ("Küche", 0.25, .one))
        #expect((settings.routePolicy, settings.interruptionPolicy) == (.hold, .notifyOnly))
        #expect(settings.remote.commands.skipInterval == 15)
        #expect(!settings.remote.mpris && settings.remote.prefersTags && !settings.remote.commands.next)
        let written = Dictionary(uniqueKeysWithValues: settings.rows.map { ($0.key, $0.value) })
        #expect(Self.rows.allSatisfy { written[$0.key] == $0.value })
    }

    @Test func invalidRow_affectsNoOther() {
        var rows = Self.rows
        rows["volume"] = 2.databaseValue
        rows["repeat"] = "twice".databaseValue
        rows["muted"] = .null
        rows["remote.skipInterval"] = .null
        var settings = PlayerSettings()
        #expect(settings.take(rows) == 3)
        #expect((settings.volume, settings.repeats, settings.muted) == (1, .off, false))
        #expect(settings.balance == -0.5)
        // Skipping needs an interval.
        #expect(!settings.remote.commands.skip)
    }

    @Test func effectsAndPresets_areReadAsTheyWereWritten() throws {
        var settings = PlayerSettings()
        settings.effects.isEnabled = true
        settings.effects.loudness.mode = .auto
        settings.effects.equalizer.bands = [.init(.highShelf, frequency: 8_000, gain: -2.5, q: 0.7)]
        settings.effectPresets = [EffectPreset(name: "Küche", preamp: -3, bands: settings.effects.equalizer.bands)]
        let rows = Dictionary(uniqueKeysWithValues: settings.rows.map { ($0.key, $0.value) })
        var read = PlayerSettings()
        #expect(read.take(rows) == 0)
        #expect(read.effects == settings.effects && read.effectPresets == settings.effectPresets)
    }

    @Test(arguments: ["", "{", "{}", #"{"isEnabled":true}"#, "[]"])
    func unreadableEffects_areOff(text: String) throws {
        var settings = PlayerSettings()
        #expect(settings.take(["effects": text.databaseValue, "volume": 0.5.databaseValue]) == 1)
        #expect(settings.effects == .off && settings.volume == 0.5)
    }

    @Test func effectsOutOfRange_areOff() throws {
        var settings = PlayerSettings()
        settings.effects.isEnabled = true
        settings.effects.limiter.ceiling = 40
        let row = try #require(settings.rows.first { $0.key == "effects" })
        #expect(settings.take([row.key: row.value]) == 1)
        #expect(settings.effects == .off)
    }

    @Test func emptyName_isValid() {
        var settings = PlayerSettings()
        #expect(settings.take(["name": "".databaseValue]) == 0)
    }
}
