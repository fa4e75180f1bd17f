// SPDX-License-Identifier: Apache-2.0

import Audio
import Glibc
import PlaybackTesting
import Testing

struct CompressorTests {
    private let curve = Compressor.Curve(
        threshold: -30, ratio: 3, knee: 6, makeUp: 5, attack: 0.01, release: 0.1)

    private func gain(of level: Double) -> Double {
        var compressor = Compressor(curve, sampleRate: 8_000, quantum: 64)
        var (last, power) = (0.0, 0.0)
        for quantum in 0..<150 {
            let turning = Signal.turning(1_000, at: 8_000, from: quantum * 64, frames: 64)
            let amplitude = Float(pow(10, level / 20) * 2.0.squareRoot())
            var samples = turning.map { amplitude * $0 }
            let before = samples.reduce(0.0) { $0 + Double($1 * $1) }
            compressor.process(&samples, frames: 64, channels: 2)
            (last, power) = (samples.reduce(0.0) { $0 + Double($1 * $1) }, before)
        }
        return 10 * log10(last / power)
    }

    @Test func steadySignalGetsTheGainOfTheCurve() {
        for level in [-50.0, -32, -30, -28, -12, 0] {
            #expect(abs(gain(of: level) - curve.reduction(at: level) - 5) < 0.1)
        }
        #expect(curve.reduction(at: -40) == 0)
        #expect(abs(curve.reduction(at: 0) + 20) < 1e-9)
    }

    @Test func withoutACurveNothingChanges() {
        var compressor = Compressor(nil, sampleRate: 8_000, quantum: 64)
        var samples = (0..<64).map { Float($0) }
        compressor.process(&samples, frames: 64, channels: 1)
        #expect(samples == (0..<64).map { Float($0) })
        #expect(compressor.isNeutral)
    }
}
