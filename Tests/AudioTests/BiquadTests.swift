// SPDX-License-Identifier: Apache-2.0

import Audio
import Glibc
import Testing

struct BiquadTests {
    /// The impulse response of an equaliser with one band, against the formula.
    @Test(arguments: BiquadCoefficients.Shape.allCases)
    func impulseResponseHasTheMagnitude(shape: BiquadCoefficients.Shape) {
        for (frequency, sampleRate) in [(40.0, 8_000.0), (1_920, 192_000), (9_000, 44_100), (3_500, 8_000)] {
            for (gain, q) in [(-24.0, 0.1), (12, 0.7), (-12, 6), (24, 30)] {
                let band = BiquadCoefficients(
                    shape, frequency: frequency, gain: gain, q: q, sampleRate: sampleRate)
                check(band, part: frequency / sampleRate, sampleRate: sampleRate)
            }
        }
        let deep = BiquadCoefficients(shape, frequency: 20, gain: 6, q: 0.7, sampleRate: 192_000)
        check(deep, part: 20.0 / 192_000, sampleRate: 192_000)
    }

    private func check(_ band: BiquadCoefficients, part: Double, sampleRate: Double) {
        var equalizer = Equalizer()
        equalizer.append(band)
        // Until the slower pole has decayed: the larger root of z² + a1 z + a2.
        let root = max(0, band.a1 * band.a1 - 4 * band.a2).squareRoot()
        let radius = root > 0 ? (abs(band.a1) + root) / 2 : band.a2.squareRoot()
        let frames = 300 + Int((-14 / log(radius)).rounded())
        guard frames < 60_000 else { return }
        var samples = [Float](repeating: 0, count: frames)
        samples[0] = 1
        equalizer.process(&samples, frames: frames, channels: 1)
        for place in [part / 2, part, 0.23] {
            var sum = (0.0, 0.0)
            for (index, sample) in samples.enumerated() where sample != 0 {
                let angle = -2 * Double.pi * place * Double(index)
                sum.0 += Double(sample) * cos(angle)
                sum.1 += Double(sample) * sin(angle)
            }
            let expected = band.magnitude(at: place * sampleRate, sampleRate: sampleRate)
            guard expected > 0.001 else { continue }
            let error = 20 * log10(hypot(sum.0, sum.1) / expected)
            #expect(abs(error) < 0.01, "\(band) at \(place * sampleRate) Hz of \(sampleRate): \(error) dB")
        }
    }

    @Test func magnitudeAtTheBandIsItsGain() {
        let peak = BiquadCoefficients(.peak, frequency: 1_000, gain: 6, q: 1.4, sampleRate: 48_000)
        #expect(abs(20 * log10(peak.magnitude(at: 1_000, sampleRate: 48_000)) - 6) < 1e-9)
        let shelf = BiquadCoefficients(.lowShelf, frequency: 100, gain: -9, q: 0.7, sampleRate: 48_000)
        #expect(abs(20 * log10(shelf.magnitude(at: 0.001, sampleRate: 48_000)) + 9) < 1e-6)
        let pass = BiquadCoefficients(.highPass, frequency: 30, gain: 0, q: 0.5.squareRoot(), sampleRate: 192_000)
        #expect(abs(20 * log10(pass.magnitude(at: 30, sampleRate: 192_000)) + 3.0103) < 1e-3)
    }

    @Test func aBandAboveHalfTheRateIsTheIdentity_unlessItActsBelow() {
        for shape in [BiquadCoefficients.Shape.peak, .highShelf, .lowPass, .notch] {
            #expect(BiquadCoefficients(shape, frequency: 5_000, gain: 6, q: 1, sampleRate: 8_000) == .identity)
        }
        let shelf = BiquadCoefficients(.lowShelf, frequency: 5_000, gain: 6, q: 0.7, sampleRate: 8_000)
        #expect(abs(20 * log10(shelf.magnitude(at: 1_000, sampleRate: 8_000)) - 6) < 0.1)
    }
}
