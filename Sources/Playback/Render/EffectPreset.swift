// SPDX-License-Identifier: Apache-2.0

internal import Audio

/// A named equaliser curve.
public struct EffectPreset: Codable, Hashable, Sendable {
    public var name: String
    public var preamp: Double
    public var bands: [EffectSettings.Band]

    public init(name: String, preamp: Double = 0, bands: [EffectSettings.Band]) {
        self.name = name
        self.preamp = preamp
        self.bands = bands
    }

    /// The maximum number of user presets.
    public static let limit = 100

    /// Presets that every player has; they cannot be replaced. Each preamp compensates for the maximum gain of its bands.
    public static let shipped = [
        EffectPreset(name: "flat", bands: []),
        EffectPreset(name: "bass", preamp: -6, bands: [.init(.lowShelf, frequency: 90, gain: 6, q: 0.7)]),
        EffectPreset(name: "treble", preamp: -5, bands: [.init(.highShelf, frequency: 6_000, gain: 5, q: 0.7)]),
        EffectPreset(
            name: "speech", preamp: -4,
            bands: [
                .init(.highPass, frequency: 100, q: 0.7), .init(.peak, frequency: 250, gain: -3, q: 1),
                .init(.peak, frequency: 2_800, gain: 4, q: 0.9), .init(.highShelf, frequency: 9_000, gain: -3, q: 0.7),
            ]),
        EffectPreset(
            name: "loudness", preamp: -7,
            bands: [
                .init(.lowShelf, frequency: 80, gain: 7, q: 0.7), .init(.peak, frequency: 2_500, gain: -1.5, q: 0.8),
                .init(.highShelf, frequency: 9_000, gain: 4, q: 0.7),
            ]),
        // Neutral sliders as a starting point.
        EffectPreset(name: "graphic", bands: GraphicEqualizer.bands(GraphicEqualizer.frequencies.map { _ in 0 })),
    ]

    public var isShipped: Bool { Self.shipped.contains { $0.name == name } }
}
