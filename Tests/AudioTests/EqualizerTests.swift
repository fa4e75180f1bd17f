// SPDX-License-Identifier: Apache-2.0

import Audio
import PlaybackTesting
import Testing

struct EqualizerTests {
    private func bands(_ count: Int) -> Equalizer {
        var equalizer = Equalizer()
        for index in 0..<count {
            let frequency = 40 * Double(1 << (index % 9))
            equalizer.append(
                BiquadCoefficients(
                    .peak, frequency: frequency, gain: index % 2 == 0 ? 5 : -4, q: 1.4, sampleRate: 48_000))
        }
        return equalizer
    }

    /// One channel alone is the reference: pairs, an odd last channel and 8 channels give bit-exactly the same.
    @Test(arguments: [2, 3, 6, 8])
    func everyChannelIsFilteredAlike(channels: Int) {
        var signal = Signal()
        let frames = 256
        let samples = (0..<frames * channels).map { _ in signal.noise() }
        var filtered = samples
        var all = bands(12)
        filtered.process(in: [100, frames - 100], channels: channels) { samples, _, frames in
            all.process(samples, frames: frames, channels: channels)
        }
        for channel in 0..<channels {
            var alone = (0..<frames).map { samples[$0 * channels + channel] }
            var one = bands(12)
            one.process(&alone, frames: frames, channels: 1)
            #expect(alone == (0..<frames).map { filtered[$0 * channels + channel] })
        }
    }

    @Test func thirteenthBandAndBandsWithoutGainAreLeftOut() {
        #expect(bands(13).count == 12)
        var equalizer = Equalizer()
        equalizer.append(BiquadCoefficients(.peak, frequency: 100, gain: 0, q: 1, sampleRate: 48_000))
        #expect(equalizer.isNeutral)
    }

    @Test func preampIsAFactor() {
        for count in [0, 3] {
            var (plain, loud) = (bands(count), bands(count))
            loud.amplify(by: 4)
            var signal = Signal()
            var samples = (0..<64).map { _ in signal.noise() }
            var amplified = samples
            plain.process(&samples, frames: 64, channels: 1)
            loud.process(&amplified, frames: 64, channels: 1)
            for (one, other) in zip(samples, amplified) { #expect(abs(one * 4 - other) < 1e-6) }
        }
    }
}
