// SPDX-License-Identifier: Apache-2.0

import Audio
import HTTP
import Kernel
public import Playback
import Service

extension RemoteAPI {
    /// Parses a body of `PUT /effects`.
    public static func effects(json: [UInt8]) throws(PlaybackError) -> EffectSettings {
        let patch: EffectsPatch
        do throws(Problem) {
            patch = try JSONBody(json).read(EffectsPatch.self).replacing
        } catch {
            throw PlaybackError(.outOfRange, error.detail, member: error.member)
        }
        return try PlayerSettings().applying(.merge(patch)).effects
    }
}

/// `/effects`: the effects and the equaliser's presets.
extension PlayerContext {
    var effectRoutes: [Route] {
        let base = "/api/v1/effects"
        return [
            .show(base, { _ in player.snapshot.settings }) { $0.members(of: $1.effects) },
            .command("effects", .patch, base) { command, reply throws(Problem) in
                let patch = try command.body.required().read(EffectsPatch.self)
                change(.merge(patch), object(reply) { $0.members(of: $1.settings.effects) })
            },
            .write(.put, base) { call, reply throws(Problem) in
                let patch = try call.body.required().read(EffectsPatch.self).replacing
                change(.merge(patch), object(reply) { $0.members(of: $1.settings.effects) })
            },
            .show(base + "/presets", { _ in player.snapshot.settings.effectPresets }) { writer, own in
                writer.member("presets", objects: EffectPreset.shipped + own) { $0.members(of: $1) }
            },
            .write(.post, base + "/presets") { call, reply throws(Problem) in
                let (name, preamp, bands) = try call.body.required().members("name", "text").presetText()
                let place = path.of(base) + "/presets/" + PercentEncoding.encode(name)
                change(
                    .keep(name: name, preamp: preamp, bands: bands),
                    answering(reply) { snapshot in
                        .json(status: 201, [("Location", place)]) { $0.preset(name, of: snapshot) }
                    })
            },
            .write(.put, base + "/presets/{name}") { call, reply throws(Problem) in
                let members = try call.body.members("preamp", "bands")
                let preamp = try members.number("preamp", in: -24...24)
                let bands = try members.nested([EffectSettings.Band].self, "bands")
                let name = try Self.name(call)
                change(.keep(name: name, preamp: preamp, bands: bands), object(reply) { $0.preset(name, of: $1) })
            },
            .delete(base + "/presets/{name}") { call, reply throws(Problem) in
                change(.forget(preset: try Self.name(call)), answering(reply) { _ in HTTPResponse(status: 204) })
            },
        ]
    }

    /// Unlike ids, names are arbitrary text.
    private static func name(_ call: APICall) throws(Problem) -> String {
        try PercentEncoding.decode(call.parameters[0]).orThrow(
            Problem(PlaybackError(.noSuchContent, "There is no preset \(call.parameters[0].prefix(100)).")))
    }

    private func change(_ change: EffectsChange, _ reply: @escaping ServiceReply<PlayerSnapshot>) {
        verbs.perform(.changeEffects(change), reply: reply)
    }
}

extension JSONWriter {
    fileprivate mutating func preset(_ name: String, of snapshot: PlayerSnapshot) {
        if let preset = snapshot.settings.preset(named: name) { members(of: preset) }
    }
}

/// `PATCH /effects`, merged by RFC 7386: null resets a member to its default. The player checks ranges.
extension EffectsPatch: JSONReadable {
    init(_ json: JSONNode) throws(Problem) {
        self.init()
        try EffectMember.read(EffectMember.all, of: json, into: &self)
    }

    /// The same body for `PUT`: absent members are reset too.
    var replacing: EffectsPatch {
        var patch = self
        patch.replaces = true
        return patch
    }
}

/// One band of an equaliser.
extension EffectSettings.Band: JSONReadable {
    init(_ json: JSONNode) throws(Problem) {
        let object = try StrictObject(json, ["type", "frequency", "gain", "q"])
        self.init(
            try object.needed(
                object.choice("type", BiquadCoefficients.Shape.self), "type",
                "is needed: " + BiquadCoefficients.Shape.allCases.map(\.rawValue).joined(separator: ", ")),
            frequency: try object.needed(object.number("frequency", in: .finite), "frequency", "is needed, in Hz"),
            gain: try object.number("gain", in: .finite) ?? 0,
            q: try object.number("q", in: .finite) ?? 0.5.squareRoot())
    }
}

extension StrictObject {
    /// `POST /effects/presets`
    fileprivate func presetText() throws(Problem) -> (name: String, preamp: Double, bands: [EffectSettings.Band]) {
        guard let name = try text("name", maximum: 100), PlayerSettings.isName(name) else {
            throw invalid("name", "is needed: 1 to 100 characters in one line, and not only spaces")
        }
        let curve = try needed(
            text("text", maximum: 32 * 1024), "text",
            "is needed: a ParametricEQ or GraphicEQ of AutoEQ or Equalizer APO")
        do throws(EqualizerText.Unreadable) {
            let (preamp, bands) = try EqualizerText.read(curve)
            return (name, preamp, bands)
        } catch {
            throw .invalid("text", error.message)
        }
    }
}
