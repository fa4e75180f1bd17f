// SPDX-License-Identifier: Apache-2.0

import Audio
import Glibc
import PlaybackTesting
import Testing

struct LoudnessMeterTests {
    @Test(arguments: [44_100, 48_000, 96_000])
    func agreesWithLibebur128(sampleRate: Int) throws {
        var signal = Signal()
        // Steady, so that the gate of the integrated loudness excludes no part.
        let frames = sampleRate
        let samples = (0..<frames * 2).map { index in
            0.2 * Float(sin(2 * Double.pi * 61 * Double(index / 2) / Double(sampleRate))) + 0.1 * signal.noise()
        }
        var meter = LoudnessMeter(format: AudioFormat(sampleRate: sampleRate, layout: .stereo))
        let energy = meter.energy(of: samples, frames: frames)
        let judge = try #require(LibEBUR128(samples, channels: 2, sampleRate: sampleRate))
        #expect(abs(LoudnessMeter.loudness(energy: energy, frames: frames) - judge.loudness) < 0.1)
    }

    @Test func truePeakAgreesWithLibebur128_howeverTheFramesAreDivided() throws {
        let format = AudioFormat(sampleRate: 48_000, layout: .stereo)
        var signal = Signal()
        var samples = (0..<2 * 4_800).map { _ in 0.7 * signal.noise() }
        var meter = TruePeakMeter(format: format)
        var highest: Float = 0
        samples.process(in: [8, 64, 1_024, 200, 3_504]) { samples, _, frames in
            var peaks: [Float] = [0, 0]
            meter.measure(samples, frames: frames, into: &peaks)
            highest = max(highest, peaks[0], peaks[1])
        }
        let judge = try #require(LibEBUR128(samples, channels: 2, sampleRate: 48_000))
        #expect(abs(20 * log10(Double(highest)) - judge.truePeak) < 0.001)
    }

    @Test func lowFrequencyChannelDoesNotCount() {
        let layout = ChannelLayout(positions: [.frontLeft, .frontRight, .frontCenter, .lowFrequency])
        var meter = LoudnessMeter(format: AudioFormat(sampleRate: 48_000, layout: layout))
        let samples = (0..<4 * 4_800).map { (index: Int) -> Float in
            index % 4 == 3 ? Float(sin(Double(index) / 10)) : 0
        }
        #expect(meter.energy(of: samples, frames: 4_800) == 0)
        #expect(LoudnessMeter.loudness(energy: 0, frames: 4_800) == -160)
    }
}
