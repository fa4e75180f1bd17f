// SPDX-License-Identifier: Apache-2.0

import Service
import Playback

/// `PATCH /player`: any of `PlayerSettings.table`, and the changes of the volume that are no settings.
struct SettingsRequest: JSONReadable {
    private(set) var patch = SettingsPatch()

    private static let settings = PlayerSettings.table.filter { $0.place == .player }
    private static let byKey = Dictionary(uniqueKeysWithValues: settings.map { ($0.key, $0) })
    private static let objects = Set(settings.compactMap(\.object))

    init(_ json: JSONNode) throws(Problem) {
        let object = try StrictObject(json)
        try read(object)
        let given = ["volume", "level", "levelBy", "groupLevelBy", "volumeRamp"].filter(object.has)
        if given.count > 1 { throw object.invalid(given[0], "cannot be given together with \(given[1])") }
    }

    /// `prefix`: of the keys of its members.
    private mutating func read(_ object: StrictObject, _ prefix: String = "") throws(Problem) {
        for name in object.names {
            let key = prefix + name
            if let setting = Self.byKey[key] {
                patch[setting] = try object.value(name, of: setting)
            } else if Self.objects.contains(key) {
                if let inner = object[name] { try read(try StrictObject(inner), key + ".") }
            } else if key == "levelBy" {
                patch.levelBy = try object.number(name, in: -1...1)
            } else if key == "groupLevelBy" {
                patch.groupLevelBy = try object.number(name, in: -1...1)
            } else if key == "volumeRamp" {
                patch.volumeRamp = try object.nested(Ramp.self, name)?.ramp
            } else if key == "abLoop" {
                patch.abLoop = .some(try object.nested(Part.self, name)?.abLoop)
            } else {
                throw object.invalid(name, "is not a setting")
            }
        }
    }

    private struct Part: JSONReadable {
        var abLoop: ABLoop

        init(_ json: JSONNode) throws(Problem) {
            let object = try StrictObject(json, ["begin", "end"])
            abLoop = ABLoop(
                begin: try object.needed(object.number("begin", in: 0...1e9), "begin"),
                end: try object.needed(object.number("end", in: 0...1e9), "end"))
        }
    }

    private struct Ramp: JSONReadable {
        var ramp: SettingsPatch.VolumeRamp

        init(_ json: JSONNode) throws(Problem) {
            let object = try StrictObject(json, ["to", "seconds"])
            ramp = SettingsPatch.VolumeRamp(
                to: try object.needed(object.number("to", in: 0...1), "to"),
                seconds: try object.needed(object.number("seconds", in: 0...3600), "seconds"))
        }
    }
}

extension StrictObject {
    /// nil when the member changes nothing: it is null, and the setting has no null.
    fileprivate func value(_ name: String, of setting: Setting) throws(Problem) -> SettingValue? {
        guard let node = self[name] else { return setting.isOptional ? SettingValue.none : nil }
        guard let value = SettingValue(node), setting.accepts(value) else {
            throw invalid(name, "must be \(setting.requirement)")
        }
        return value
    }
}

extension SettingValue {
    /// nil for lists and objects.
    fileprivate init?(_ node: JSONNode) {
        if let text = node.string {
            self = .text(text)
        } else if let number = node.number {
            self = .number(number)
        } else if let flag = node.flag {
            self = .flag(flag)
        } else {
            return nil
        }
    }
}
