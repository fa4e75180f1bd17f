// SPDX-License-Identifier: Apache-2.0

import Audio
import Glibc
import PlaybackTesting
import Testing

struct CrossfadeCurveTests {
    @Test(arguments: [200, 4_800, 48_001])
    func powerOfBothIsOne(frames: FrameCount) {
        let rising = CrossfadeCurve(.rising, start: 1_000, frames: frames)
        let falling = CrossfadeCurve(.falling, start: 1_000, frames: frames)
        for index in stride(from: 900, through: 1_100 + frames, by: 7) {
            let (up, down) = (Double(rising.gain(at: index)), Double(falling.gain(at: index)))
            // The linear pieces lie slightly below the curve, less so for longer curves.
            #expect(abs(10 * log10(up * up + down * down)) < (frames < 1_000 ? 0.3 : 0.001))
        }
        #expect(rising.gain(at: 999) == 0 && rising.gain(at: 1_000 + frames) == 1)
        #expect(falling.gain(at: 999) == 1 && falling.gain(at: 1_000 + frames) == 0)
    }

    @Test func appliesTheGain_howeverTheFramesAreDivided() {
        for direction in [CrossfadeCurve.Direction.rising, .falling] {
            let curve = CrossfadeCurve(direction, start: 50, frames: 300)
            var samples = [Float](repeating: 1, count: 2 * 500)
            samples.process(in: [1, 48, 2, 13, 64, 100, 272]) { samples, first, frames in
                curve.apply(to: samples, at: FrameCount(first), frames: frames, channels: 2)
            }
            for index in 0..<500 {
                #expect(samples[2 * index] == curve.gain(at: FrameCount(index)))
                #expect(samples[2 * index + 1] == samples[2 * index])
            }
        }
    }

    @Test func curveWithoutLengthIsAStep() {
        let curve = CrossfadeCurve(.rising, start: 5, frames: 0)
        #expect(curve.gain(at: 4) == 0 && curve.gain(at: 5) == 1)
    }
}
