// SPDX-License-Identifier: Apache-2.0

import Playback
import Service

/// A member of `/effects`, in answers and in requests.
struct EffectMember: Sendable {
    private typealias Path<Value> = any WritableKeyPath<EffectSettings, Value> & Sendable

    private let name: String
    /// Its name and value.
    let write: @Sendable (inout JSONWriter, EffectSettings) -> Void
    /// Reads the member; its default if the object has no value for it.
    private let read: @Sendable (StrictObject, inout EffectsPatch) throws(Problem) -> Void

    static let all: [EffectMember] = [
        value("enabled", \.isEnabled),
        object(
            "loudness",
            [
                value("mode", \.loudness.mode), value("preamp", \.loudness.preamp),
                value("untaggedPreamp", \.loudness.untaggedPreamp),
                value("preventClipping", \.loudness.preventsClipping),
            ]),
        object(
            "equalizer", [value("enabled", \.equalizer.isEnabled), preset, value("preamp", \.equalizer.preamp), bands]),
        object("compressor", [value("enabled", \.compressor.isEnabled), value("preset", \.compressor.preset)]),
        object("limiter", [value("enabled", \.limiter.isEnabled), value("ceiling", \.limiter.ceiling)]),
        object("crossfeed", [value("enabled", \.crossfeed.isEnabled), value("level", \.crossfeed.level)]),
        value("width", \.width), value("mono", \.mono), value("delay", \.delay),
        object(
            "reverb",
            [value("enabled", \.reverb.isEnabled), value("mix", \.reverb.mix), value("decay", \.reverb.decay)]),
    ]

    private static let preset = EffectMember(
        name: "preset", write: { $0.member("preset", $1.equalizer.preset) },
        read: { object, patch throws(Problem) in
            patch.preset = try object.text("preset", maximum: 100)
            if patch.preset == nil { patch.set(\.equalizer.preset, nil) }
        })

    private static let bands = EffectMember(
        name: "bands", write: { $0.member("bands", array: $1.equalizer.bands) { $0.band($1) } },
        read: { object, patch throws(Problem) in
            patch.hasBands = true
            patch.set(\.equalizer.bands, try object.nested([EffectSettings.Band].self, "bands") ?? [])
        })

    /// Reads the members of the object; unknown members are rejected.
    static func read(_ members: [EffectMember], of json: JSONNode, into patch: inout EffectsPatch) throws(Problem) {
        let object = try StrictObject(json, members.map(\.name))
        for member in members where object.contains(member.name) { try member.read(object, &patch) }
    }

    private static func object(_ name: String, _ members: [EffectMember]) -> EffectMember {
        EffectMember(
            name: name,
            write: { writer, effects in
                writer.key(name)
                writer.object { for member in members { member.write(&$0, effects) } }
            },
            read: { object, patch throws(Problem) in
                if let json = object[name] { return try read(members, of: json, into: &patch) }
                let empty = try JSONBody([]).members()
                for member in members { try member.read(empty, &patch) }
            })
    }

    private static func value<Value: SettingConvertible>(_ name: String, _ path: Path<Value>) -> EffectMember {
        EffectMember(
            name: name,
            write: { writer, effects in
                writer.key(name)
                writer.value(effects[keyPath: path].settingValue)
            },
            read: { object, patch throws(Problem) in
                guard let node = object[name] else { return patch.set(path, EffectSettings.off[keyPath: path]) }
                guard let value = SettingValue(node).flatMap({ Value($0) }) else {
                    throw object.invalid(name, "must be \(Value.form.requirement)")
                }
                patch.set(path, value)
            })
    }
}

extension ClosedRange<Double> {
    static var finite: ClosedRange { -Double.greatestFiniteMagnitude...Double.greatestFiniteMagnitude }
}

extension JSONWriter {
    /// `/effects`, and the data of the event.
    mutating func members(of effects: EffectSettings) {
        for member in EffectMember.all { member.write(&self, effects) }
    }

    mutating func members(of preset: EffectPreset) {
        member("name", preset.name)
        member("shipped", preset.isShipped)
        member("preamp", preset.preamp)
        member("bands", array: preset.bands) { $0.band($1) }
    }

    mutating func band(_ band: EffectSettings.Band) {
        object { writer in
            writer.member("type", band.shape.rawValue)
            writer.member("frequency", band.frequency)
            writer.member("gain", band.gain)
            writer.member("q", band.q)
        }
    }
}
