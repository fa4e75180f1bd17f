// SPDX-License-Identifier: Apache-2.0

import Audio
import Playback
import Service

/// `PATCH /effects`, merged by RFC 7386: a member that is null becomes its default. Ranges are the player's to check.
struct EffectsRequest: JSONReadable {
    private(set) var patch = EffectsPatch()

    init(_ json: JSONNode) throws(Problem) {
        let object = try StrictObject(
            json,
            [
                "enabled", "loudness", "equalizer", "compressor", "limiter", "crossfeed", "width", "mono", "delay",
                "reverb",
            ])
        try flag(object, "enabled", \.isEnabled)
        try group(object, "loudness", \.loudness, ["mode", "preamp", "untaggedPreamp", "preventClipping"]) {
            (request, object) throws(Problem) in
            try request.choice(object, "mode", \.loudness.mode)
            try request.number(object, "preamp", \.loudness.preamp)
            try request.number(object, "untaggedPreamp", \.loudness.untaggedPreamp)
            try request.flag(object, "preventClipping", \.loudness.preventsClipping)
        }
        try group(object, "equalizer", \.equalizer, ["enabled", "preset", "preamp", "bands"]) {
            (request, object) throws(Problem) in
            try request.flag(object, "enabled", \.equalizer.isEnabled)
            request.patch.preset = try object.text("preset", maximum: 100)
            if object.contains("preset"), request.patch.preset == nil { request.patch.set(\.equalizer.preset, nil) }
            try request.number(object, "preamp", \.equalizer.preamp)
            if object.contains("bands") {
                request.patch.hasBands = true
                request.patch.set(\.equalizer.bands, try object.nested([EffectBand].self, "bands")?.map(\.band) ?? [])
            }
        }
        try group(object, "compressor", \.compressor, ["enabled", "preset"]) { (request, object) throws(Problem) in
            try request.flag(object, "enabled", \.compressor.isEnabled)
            try request.choice(object, "preset", \.compressor.preset)
        }
        try group(object, "limiter", \.limiter, ["enabled", "ceiling"]) { (request, object) throws(Problem) in
            try request.flag(object, "enabled", \.limiter.isEnabled)
            try request.number(object, "ceiling", \.limiter.ceiling)
        }
        try group(object, "crossfeed", \.crossfeed, ["enabled", "level"]) { (request, object) throws(Problem) in
            try request.flag(object, "enabled", \.crossfeed.isEnabled)
            try request.number(object, "level", \.crossfeed.level)
        }
        try number(object, "width", \.width)
        try flag(object, "mono", \.mono)
        try number(object, "delay", \.delay)
        try group(object, "reverb", \.reverb, ["enabled", "mix", "decay"]) { (request, object) throws(Problem) in
            try request.flag(object, "enabled", \.reverb.isEnabled)
            try request.number(object, "mix", \.reverb.mix)
            try request.number(object, "decay", \.reverb.decay)
        }
    }

    /// The same body of `PUT`: what is absent becomes its default, too.
    var replacing: EffectsPatch {
        var patch = patch
        patch.replaces = true
        return patch
    }

    private typealias Path<Value> = any WritableKeyPath<EffectSettings, Value> & Sendable

    private mutating func group<Value: Sendable>(
        _ object: StrictObject, _ name: String, _ path: Path<Value>, _ known: [String],
        _ read: (inout EffectsRequest, StrictObject) throws(Problem) -> Void
    ) throws(Problem) {
        guard object.contains(name) else { return }
        guard let node = object[name] else { return patch.set(path, EffectSettings.off[keyPath: path]) }
        try read(&self, StrictObject(node, known))
    }

    private mutating func flag(_ object: StrictObject, _ name: String, _ path: Path<Bool>) throws(Problem) {
        try take(object, name, path, try object.flag(name))
    }

    private mutating func number(_ object: StrictObject, _ name: String, _ path: Path<Double>) throws(Problem) {
        try take(
            object, name, path,
            try object.number(name, in: -Double.greatestFiniteMagnitude...Double.greatestFiniteMagnitude))
    }

    private mutating func choice<Choice: RawRepresentable & CaseIterable & Sendable>(
        _ object: StrictObject, _ name: String, _ path: Path<Choice>
    ) throws(Problem) where Choice.RawValue == String {
        try take(object, name, path, try object.choice(name, Choice.self))
    }

    private mutating func take<Value: Sendable>(
        _ object: StrictObject, _ name: String, _ path: Path<Value>, _ value: Value?
    ) throws(Problem) {
        if object.contains(name) { patch.set(path, value ?? EffectSettings.off[keyPath: path]) }
    }
}

/// One band of an equaliser.
struct EffectBand: JSONReadable {
    var band: EffectSettings.Band

    init(_ json: JSONNode) throws(Problem) {
        let object = try StrictObject(json, ["type", "frequency", "gain", "q"])
        let all = -Double.greatestFiniteMagnitude...Double.greatestFiniteMagnitude
        band = EffectSettings.Band(
            try object.needed(
                object.choice("type", BiquadCoefficients.Shape.self), "type",
                "is needed: " + BiquadCoefficients.Shape.allCases.map(\.rawValue).joined(separator: ", ")),
            frequency: try object.needed(object.number("frequency", in: all), "frequency", "is needed, in Hz"),
            gain: try object.number("gain", in: all) ?? 0, q: try object.number("q", in: all) ?? 0.5.squareRoot())
    }
}

/// `PUT /effects/presets/{name}`
struct PresetRequest: JSONReadable {
    var preamp: Double?
    var bands: [EffectSettings.Band]?

    init(_ json: JSONNode) throws(Problem) {
        let object = try StrictObject(json, ["preamp", "bands"])
        preamp = try object.number("preamp", in: -24...24)
        bands = try object.nested([EffectBand].self, "bands")?.map(\.band)
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
