// SPDX-License-Identifier: Apache-2.0

import Audio
import Testing

struct DenormalGuardTests {
    /// All supported processors have such a mode.
    @Test func denormalsAreZeroUntilItLeaves() {
        let tiny: [Float] = [Float.leastNormalMagnitude]
        let mode = DenormalGuard.enter()
        let flushed = tiny.map { $0 * 0.5 }
        mode.leave()
        let kept = tiny.map { $0 * 0.5 }
        #expect(flushed == [0])
        #expect(kept[0] > 0)
    }

    /// An operation on a denormal takes a hundred times as long.
    @Test func silenceLeavesNoDenormalsInAFilter() {
        var equalizer = Equalizer()
        for frequency in [3_000.0, 3_500] {
            equalizer.append(
                BiquadCoefficients(.peak, frequency: frequency, gain: 6, q: 1, sampleRate: 8_000))
        }
        func denormalsAfterSilence(_ equalizer: Equalizer) -> Int {
            var equalizer = equalizer
            var samples = [Float](repeating: 0, count: 16_000)
            samples[0] = 1
            equalizer.process(&samples, frames: samples.count, channels: 1)
            return withUnsafeBytes(of: equalizer) { bytes in
                let doubles = bytes.bindMemory(to: Double.self)
                // The states follow the coefficients and the count.
                return doubles.dropFirst(122).filter(\.isSubnormal).count
            }
        }
        #expect(denormalsAfterSilence(equalizer) > 0)
        let mode = DenormalGuard.enter()
        let count = denormalsAfterSilence(equalizer)
        mode.leave()
        #expect(count == 0)
    }
}
