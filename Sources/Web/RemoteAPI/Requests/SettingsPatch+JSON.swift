// SPDX-License-Identifier: Apache-2.0

import Playback
import Service

/// `PATCH /player`: members of `PlayerSettings.table`, and changes of the volume that are not settings.
extension SettingsPatch: JSONReadable {
    private static let settings = PlayerSettings.table.filter { $0.place == .player }
    private static let byKey = Dictionary(uniqueKeysWithValues: settings.map { ($0.key, $0) })
    private static let objects = Set(settings.compactMap(\.object))

    init(_ json: JSONNode) throws(Problem) {
        self.init()
        let object = try StrictObject(json)
        try read(object)
        let given = ["volume", "level", "levelBy", "groupLevelBy", "volumeRamp"].filter(object.has)
        if given.count > 1 { throw object.invalid(given[0], "cannot be given together with \(given[1])") }
    }

    /// `prefix`: the beginning of the keys of its members.
    private mutating func read(_ object: StrictObject, _ prefix: String = "") throws(Problem) {
        for name in object.names {
            let key = prefix + name
            if let setting = Self.byKey[key] {
                self[setting] = try object.value(name, of: setting)
            } else if Self.objects.contains(key) {
                try read(try StrictObject(try object.given(object[name], name, "an object")), key + ".")
            } else if key == "levelBy" {
                levelBy = try object.given(object.number(name, in: -1...1), name, "a number")
            } else if key == "groupLevelBy" {
                groupLevelBy = try object.given(object.number(name, in: -1...1), name, "a number")
            } else if key == "volumeRamp" {
                volumeRamp = try object.given(object.nested(VolumeRamp.self, name), name, "an object")
            } else if key == "abLoop" {
                // null removes it.
                abLoop = .some(try object.nested(ABLoop.self, name))
            } else {
                throw object.invalid(name, "is not a setting")
            }
        }
    }
}

extension ABLoop: JSONReadable {
    init(_ json: JSONNode) throws(Problem) {
        let object = try StrictObject(json, ["begin", "end"])
        self.init(
            begin: try object.needed(object.number("begin", in: 0...1e9), "begin"),
            end: try object.needed(object.number("end", in: 0...1e9), "end"))
    }
}

extension SettingsPatch.VolumeRamp: JSONReadable {
    init(_ json: JSONNode) throws(Problem) {
        let object = try StrictObject(json, ["to", "seconds"])
        self.init(
            to: try object.needed(object.number("to", in: 0...1), "to"),
            seconds: try object.needed(object.number("seconds", in: 0...3600), "seconds"))
    }
}

extension StrictObject {
    fileprivate func value(_ name: String, of setting: Setting) throws(Problem) -> SettingValue {
        let value = self[name].map { SettingValue($0) } ?? SettingValue.none
        guard let value, setting.accepts(value) else { throw invalid(name, "must be \(setting.form.requirement)") }
        return value
    }

    /// The value of a member that must not be null.
    fileprivate func given<Value>(_ value: Value?, _ name: String, _ kind: String) throws(Problem) -> Value {
        try needed(value, name, "must be \(kind), not null")
    }
}

extension SettingValue {
    /// nil for lists, objects and numbers that are too large.
    init?(_ node: JSONNode) {
        if let text = node.string {
            self = .text(text)
        } else if let number = node.number, number.isFinite {
            self = .number(number)
        } else if let flag = node.flag {
            self = .flag(flag)
        } else {
            return nil
        }
    }
}

extension JSONWriter {
    /// The members of `PlayerSettings` in openapi.yaml.
    mutating func settingsMembers(of settings: PlayerSettings, followers: [String]) {
        member("followers", texts: followers)
        member("abLoop", settings.abLoop) { writer, part in
            writer.member("begin", part.begin)
            writer.member("end", part.end)
        }
        for part in Self.parts {
            guard let object = part.object else {
                members(of: part.settings, in: settings)
                continue
            }
            key(object)
            self.object { $0.members(of: part.settings, in: settings) }
        }
    }

    private mutating func members(of part: [(name: String, setting: Setting)], in settings: PlayerSettings) {
        for (name, setting) in part {
            key(name)
            value(setting.value(in: settings))
        }
    }

    mutating func value(_ setting: SettingValue) {
        switch setting {
        case .none: null()
        case .flag(let flag): value(flag)
        case .number(let number): value(number)
        case .text(let text): value(text)
        }
    }

    /// Consecutive settings, grouped by the object that contains them.
    private static let parts: [(object: String?, settings: [(name: String, setting: Setting)])] =
        PlayerSettings.table.filter { $0.place == .player }.reduce(into: []) { parts, setting in
            if parts.last.map({ $0.object != setting.object }) ?? true { parts.append((setting.object, [])) }
            parts[parts.count - 1].settings.append((setting.name, setting))
        }
}
