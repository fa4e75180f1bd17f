// SPDX-License-Identifier: Apache-2.0

internal import Audio
internal import Glibc

/// Ten bands, one octave apart, like the sliders of a graphic equaliser.
enum GraphicEqualizer {
    /// In Hz, from ISO 266.
    static let frequencies = [31.5, 63, 125, 250, 500, 1_000, 2_000, 4_000, 8_000, 16_000]
    /// One octave wide.
    static let q = 2.0.squareRoot()

    /// The bands with these gains in dB.
    static func bands(_ gains: [Double]) -> [EffectSettings.Band] {
        zip(frequencies, gains).map { .init(.peak, frequency: $0, gain: $1, q: q) }
    }

    /// The sliders whose response matches a curve at their ten frequencies, and the preamp that brings the curve to a
    /// mean of 0 dB. `points`: at least one, with rising frequencies; interpolated linearly over the logarithm.
    static func fit(_ points: [(frequency: Double, gain: Double)]) -> (preamp: Double, bands: [EffectSettings.Band]) {
        let values = frequencies.map { value(of: points, at: $0) }
        let preamp = values.reduce(0, +) / Double(values.count)
        let targets = values.map { $0 - preamp }
        var gains = targets
        // Each band affects its neighbours; each step corrects for that.
        for _ in 0..<40 {
            let filters = bands(gains).map {
                BiquadCoefficients($0.shape, frequency: $0.frequency, gain: $0.gain, q: $0.q, sampleRate: 48_000)
            }
            for (index, frequency) in frequencies.enumerated() {
                let response = filters.map { 20 * log10($0.magnitude(at: frequency, sampleRate: 48_000)) }.reduce(0, +)
                gains[index] = min(24, max(-24, gains[index] + 0.7 * (targets[index] - response)))
            }
        }
        return (preamp, bands(gains))
    }

    private static func value(of points: [(frequency: Double, gain: Double)], at frequency: Double) -> Double {
        guard let above = points.firstIndex(where: { $0.frequency >= frequency }) else {
            return points[points.count - 1].gain
        }
        guard above > 0 else { return points[0].gain }
        let (low, high) = (points[above - 1], points[above])
        let part = log(frequency / low.frequency) / log(high.frequency / low.frequency)
        return low.gain + part * (high.gain - low.gain)
    }
}
