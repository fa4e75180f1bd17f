// SPDX-License-Identifier: Apache-2.0

import Audio
import Playback
import Service

/// `PATCH /effects`, merged by RFC 7386: a member that is null becomes its default. Ranges are the player's to check.
struct EffectsRequest: JSONReadable {
    private(set) var patch = EffectsPatch()

    init(_ json: JSONNode) throws(Problem) { try EffectMember.read(EffectMember.all, of: json, into: &patch) }

    /// The same body of `PUT`: what is absent becomes its default, too.
    var replacing: EffectsPatch {
        var patch = patch
        patch.replaces = true
        return patch
    }
}

/// One band of an equaliser.
struct EffectBand: JSONReadable {
    var band: EffectSettings.Band

    init(_ json: JSONNode) throws(Problem) {
        let object = try StrictObject(json, ["type", "frequency", "gain", "q"])
        band = EffectSettings.Band(
            try object.needed(
                object.choice("type", BiquadCoefficients.Shape.self), "type",
                "is needed: " + BiquadCoefficients.Shape.allCases.map(\.rawValue).joined(separator: ", ")),
            frequency: try object.needed(object.number("frequency", in: .finite), "frequency", "is needed, in Hz"),
            gain: try object.number("gain", in: .finite) ?? 0,
            q: try object.number("q", in: .finite) ?? 0.5.squareRoot())
    }
}

/// `POST /effects/presets`
struct PresetTextRequest: JSONReadable {
    var name: String
    var preamp: Double
    var bands: [EffectSettings.Band]

    init(_ json: JSONNode) throws(Problem) {
        let object = try StrictObject(json, ["name", "text"])
        guard let name = try object.text("name", maximum: 100), PlayerSettings.isName(name) else {
            throw object.invalid("name", "is needed: 1 to 100 characters in one line, and not only spaces")
        }
        let text = try object.needed(
            object.text("text", maximum: 32 * 1024), "text",
            "is needed: a ParametricEQ or GraphicEQ of AutoEQ or Equalizer APO")
        self.name = name
        do throws(EqualizerText.Unreadable) {
            (preamp, bands) = try EqualizerText.read(text)
        } catch {
            throw .invalid("text", error.message)
        }
    }
}
