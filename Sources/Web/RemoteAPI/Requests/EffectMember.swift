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
        flag("enabled", \.isEnabled),
        object(
            "loudness",
            [
                choice("mode", \.loudness.mode), number("preamp", \.loudness.preamp),
                number("untaggedPreamp", \.loudness.untaggedPreamp),
                flag("preventClipping", \.loudness.preventsClipping),
            ]),
        object(
            "equalizer", [flag("enabled", \.equalizer.isEnabled), preset, number("preamp", \.equalizer.preamp), bands]),
        object("compressor", [flag("enabled", \.compressor.isEnabled), choice("preset", \.compressor.preset)]),
        object("limiter", [flag("enabled", \.limiter.isEnabled), number("ceiling", \.limiter.ceiling)]),
        object("crossfeed", [flag("enabled", \.crossfeed.isEnabled), number("level", \.crossfeed.level)]),
        number("width", \.width), flag("mono", \.mono), number("delay", \.delay),
        object(
            "reverb",
            [flag("enabled", \.reverb.isEnabled), number("mix", \.reverb.mix), number("decay", \.reverb.decay)]),
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

    private static func flag(_ name: String, _ path: Path<Bool>) -> EffectMember {
        value(name, path, { $0.value($1) }) { object throws(Problem) in try object.flag(name) }
    }

    private static func number(_ name: String, _ path: Path<Double>) -> EffectMember {
        value(name, path, { $0.value($1) }) { object throws(Problem) in try object.number(name, in: .finite) }
    }

    private static func choice<Choice: RawRepresentable & CaseIterable & Sendable>(
        _ name: String, _ path: Path<Choice>
    ) -> EffectMember where Choice.RawValue == String {
        value(name, path, { $0.value($1.rawValue) }) { object throws(Problem) in try object.choice(name, Choice.self) }
    }

    private static func value<Value: Sendable>(
        _ name: String, _ path: Path<Value>, _ write: @escaping @Sendable (inout JSONWriter, Value) -> Void,
        _ read: @escaping @Sendable (StrictObject) throws(Problem) -> Value?
    ) -> EffectMember {
        EffectMember(
            name: name,
            write: { writer, effects in
                writer.key(name)
                write(&writer, effects[keyPath: path])
            },
            read: { object, patch throws(Problem) in
                patch.set(path, try read(object) ?? EffectSettings.off[keyPath: path])
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
