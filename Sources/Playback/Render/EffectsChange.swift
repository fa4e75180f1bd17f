// SPDX-License-Identifier: Apache-2.0

/// A client's change of a player's effects. The player applies it, so that changes of two clients add up.
public enum EffectsChange: Sendable {
    case merge(EffectsPatch)
    /// Saves a curve by name; without bands, the present curve of the equaliser.
    case keep(name: String, preamp: Double?, bands: [EffectSettings.Band]?)
    case forget(preset: String)
}

/// New values for some members of `EffectSettings`; the others keep theirs.
public struct EffectsPatch: Sendable {
    /// The other members are reset to the defaults.
    public var replaces = false
    /// Applies the preset's curve before the rest of the patch.
    public var preset: String?
    /// The patch has a curve of its own: an unknown preset is then only a name.
    public var hasBands = false
    private var steps: [@Sendable (inout EffectSettings) -> Void] = []

    public init() {}

    public mutating func set<Value: Sendable>(
        _ path: any WritableKeyPath<EffectSettings, Value> & Sendable, _ value: Value
    ) {
        steps.append { $0[keyPath: path] = value }
    }

    public func apply(to settings: inout EffectSettings) { for step in steps { step(&settings) } }
}

extension PlayerSettings {
    /// The settings after a change of effects or presets. The error names the member that does not fit.
    public func applying(_ change: EffectsChange) throws(PlaybackError) -> PlayerSettings {
        var new = self
        switch change {
        case .merge(let patch):
            if patch.replaces { new.effects = .off }
            if let name = patch.preset {
                if let preset = preset(named: name) {
                    new.effects.equalizer.preamp = preset.preamp
                    new.effects.equalizer.bands = preset.bands
                } else if !patch.hasBands {
                    throw PlaybackError(
                        .outOfRange, "There is no preset \(name.prefix(100)).", member: "equalizer.preset")
                }
                new.effects.equalizer.preset = name
            }
            patch.apply(to: &new.effects)
            try new.effects.check()
        case .keep(let name, let preamp, let bands):
            guard PlayerSettings.isName(name) else {
                throw PlaybackError(
                    .outOfRange, "name must have 1 to 100 characters in one line, and not only spaces.", member: "name")
            }
            let equalizer = effects.equalizer
            let preset = EffectPreset(
                name: name, preamp: preamp ?? (bands == nil ? equalizer.preamp : 0), bands: bands ?? equalizer.bands)
            guard !preset.isShipped else { throw .shipped(name) }
            try preset.check()
            new.effectPresets.removeAll { $0.name == name }
            guard new.effectPresets.count < EffectPreset.limit else {
                throw PlaybackError(
                    .outOfRange, "There are \(EffectPreset.limit) presets already; delete one.", member: "name")
            }
            new.effectPresets.append(preset)
        case .forget(let name):
            guard let preset = preset(named: name) else {
                throw PlaybackError(.noSuchContent, "There is no preset \(name.prefix(100)).")
            }
            guard !preset.isShipped else { throw .shipped(name) }
            new.effectPresets.removeAll { $0.name == name }
        }
        new.nameCurve()
        return new
    }

    public func preset(named name: String) -> EffectPreset? {
        (EffectPreset.shipped + effectPresets).first { $0.name == name }
    }

    /// Removes the preset's name from a curve that differs from it.
    private mutating func nameCurve() {
        let named = effects.equalizer.preset.flatMap(preset(named:))
        if named?.preamp != effects.equalizer.preamp || named?.bands != effects.equalizer.bands {
            effects.equalizer.preset = nil
        }
    }
}

extension PlaybackError {
    fileprivate static func shipped(_ name: String) -> PlaybackError {
        PlaybackError(.invalidState, "The preset \(name) comes with the program and cannot be changed.")
    }
}
