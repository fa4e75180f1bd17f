// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import GRDB
import Playback

extension PlayerSettings {
    /// One row per setting, so that an unreadable value affects no other setting.
    var rows: [(key: String, value: DatabaseValue)] {
        Self.table.compactMap { setting in
            setting.row.map { ($0, setting.value(in: self).databaseValue) }
        } + [
            ("effects", Self.text(effects)), ("effectPresets", Self.text(effectPresets)),
            ("abLoop", abLoop.map { Self.text($0) } ?? .null),
        ]
    }

    /// Applies the valid values. Returns the number of invalid ones.
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
        unreadable += Self.read(values["effects"], into: &effects, or: .off) { try $0.check() }
        unreadable += Self.read(values["effectPresets"], into: &effectPresets, or: []) { presets in
            for preset in presets { try preset.check() }
        }
        unreadable += Self.read(values["abLoop"], into: &abLoop, or: nil) { try $0?.check() }
        // Skipping needs an interval.
        if remote.commands.skipInterval == nil { remote.commands.skip = false }
        return unreadable
    }

    /// Compound values are JSON. Encoding cannot fail, as all their numbers are finite.
    private static func text<Value: Encodable>(_ value: Value) -> DatabaseValue {
        do {
            return String(decoding: try JSONEncoder().encode(value), as: UTF8.self).databaseValue
        } catch {
            return .null
        }
    }

    /// Returns the number of invalid values: 0, or 1 if `value` became `fallback`.
    private static func read<Value: Decodable>(
        _ stored: DatabaseValue?, into value: inout Value, or fallback: Value, check: (Value) throws -> Void
    ) -> Int {
        guard let stored, !stored.isNull else { return 0 }
        do {
            let json = Data((String.fromDatabaseValue(stored) ?? "").utf8)
            value = try JSONDecoder().decode(Value.self, from: json)
            try check(value)
            return 0
        } catch {
            value = fallback
            return 1
        }
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

    /// nil if the stored value has another type.
    fileprivate static func read(_ stored: DatabaseValue, _ form: Setting.Form) -> SettingValue? {
        if stored.isNull { return SettingValue.none }
        return switch form {
        case .flag: Bool.fromDatabaseValue(stored).map { .flag($0) }
        case .number: Double.fromDatabaseValue(stored).map { .number($0) }
        case .choice, .text, .name: String.fromDatabaseValue(stored).map { .text($0) }
        }
    }
}
