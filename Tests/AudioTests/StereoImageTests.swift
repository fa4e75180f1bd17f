// SPDX-License-Identifier: Apache-2.0

import Audio
import Glibc
import PlaybackTesting
import Testing

struct StereoImageTests {
    private let format = AudioFormat(sampleRate: 48_000, layout: .stereo)

    @Test func monoIsTheMeanOfBoth_widthTwoDoublesTheDifference() {
        var samples: [Float] = [1, 0, 0.5, -0.5]
        var mono = StereoImage(format: format, width: 0, crossfeed: nil)
        mono.process(&samples, frames: 2, channels: 2)
        #expect(samples == [0.5, 0.5, 0, 0])
        samples = [1, 0, 0.5, -0.5]
        var wide = StereoImage(format: format, width: 2, crossfeed: nil)
        wide.process(&samples, frames: 2, channels: 2)
        #expect(samples == [1.5, -0.5, 1, -1])
    }

    /// The level is the difference between the ears at low frequencies. High ones stay on their side; mono passes unchanged.
    @Test(arguments: [1, 4.5, 15])
    func crossfeedPutsLowFrequenciesOnTheOtherEar(level: Double) {
        for (frequency, expected) in [(20.0, level), (18_000, 25)] {
            var image = StereoImage(format: format, width: 1, crossfeed: level)
            let turning = Signal.turning(frequency, at: 48_000, frames: 9_600)
            var samples = turning.enumerated().map { $0.offset % 2 == 0 ? $0.element : 0 }
            image.process(&samples, frames: 9_600, channels: 2)
            func power(_ channel: Int) -> Double {
                stride(from: 4_800 + channel, to: samples.count, by: 2).reduce(0) { sum, index in
                    sum + Double(samples[index] * samples[index])
                }
            }
            let difference = 10 * log10(power(0) / power(1))
            if frequency < 100 { #expect(abs(difference - expected) < 0.2) } else { #expect(difference > expected) }
        }
        var image = StereoImage(format: format, width: 1, crossfeed: level)
        var samples = (0..<200).map { Float($0 / 2) / 128 }
        image.process(&samples, frames: 100, channels: 2)
        #expect(samples == (0..<200).map { Float($0 / 2) / 128 })
    }

    @Test func onlyLeftRightPairsAreChanged() {
        let layout = ChannelLayout(positions: [
            .frontLeft, .frontRight, .frontCenter, .lowFrequency, .rearLeft, .rearRight,
        ])
        var image = StereoImage(
            format: AudioFormat(sampleRate: 48_000, layout: layout), width: 0, crossfeed: nil)
        var samples: [Float] = [1, 0, 0.25, 0.75, 0, 1]
        image.process(&samples, frames: 1, channels: 6)
        #expect(samples == [0.5, 0.5, 0.25, 0.75, 0.5, 0.5])
        #expect(StereoImage(format: AudioFormat(sampleRate: 48_000, layout: .mono), width: 0, crossfeed: 4).isNeutral)
    }
}
