// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import GRDB
import Playback

extension PlayerSettings {
    /// One row per setting, so that one unreadable value costs only itself.
    var rows: [(key: String, value: DatabaseValue)] {
        Self.table.compactMap { setting in
            setting.row.map { ($0, setting.value(in: self).databaseValue) }
        } + [
            ("effects", Self.text(effects)), ("effectPresets", Self.text(effectPresets)),
            ("abLoop", abLoop.map { Self.text($0) } ?? .null),
        ]
    }

    /// Takes the values that fit. Returns the number of those that do not.
    mutating func take(_ values: [String: DatabaseValue]) -> Int {
        var unreadable = 0
        for setting in Self.table {
            guard let row = setting.row, let stored = values[row] else { continue }
            if let value = SettingValue.read(stored, setting.form),
                setting.accepts(value) || value == setting.defaultValue
            {
                setting.set(value, in: &self)
            } else {
                unreadable += 1
            }
        }
        do {
            effects = try Self.value(values["effects"]) ?? effects
            try effects.check()
        } catch {
            effects = .off
            unreadable += 1
        }
        do {
            effectPresets = try Self.value(values["effectPresets"]) ?? effectPresets
            for preset in effectPresets { try preset.check() }
        } catch {
            effectPresets = []
            unreadable += 1
        }
        do {
            abLoop = try Self.value(values["abLoop"])
            try abLoop?.check()
        } catch {
            abLoop = nil
            unreadable += 1
        }
        // Skipping by nothing would be no command at all.
        if remote.commands.skipInterval == nil { remote.commands.skip = false }
        return unreadable
    }

    /// What is no single value is one row of JSON. All numbers in it are finite, so it can be written.
    private static func text<Value: Encodable>(_ value: Value) -> DatabaseValue {
        do {
            return String(decoding: try JSONEncoder().encode(value), as: UTF8.self).databaseValue
        } catch {
            return .null
        }
    }

    private static func value<Value: Decodable>(_ stored: DatabaseValue?) throws -> Value? {
        guard let stored, !stored.isNull else { return nil }
        return try JSONDecoder().decode(Value.self, from: Data((String.fromDatabaseValue(stored) ?? "").utf8))
    }
}

extension SettingValue {
    fileprivate var databaseValue: DatabaseValue {
        switch self {
        case .none: .null
        case .flag(let flag): flag.databaseValue
        case .number(let number): number.databaseValue
        case .text(let text): text.databaseValue
        }
    }

    /// nil when it is of another type.
    fileprivate static func read(_ stored: DatabaseValue, _ form: Setting.Form) -> SettingValue? {
        if stored.isNull { return SettingValue.none }
        switch form {
        case .flag:
            guard let flag = Bool.fromDatabaseValue(stored) else { return nil }
            return .flag(flag)
        case .number:
            guard let number = Double.fromDatabaseValue(stored) else { return nil }
            return .number(number)
        case .choice, .text, .name:
            guard let text = String.fromDatabaseValue(stored) else { return nil }
            return .text(text)
        }
    }
}
