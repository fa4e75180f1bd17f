// SPDX-License-Identifier: Apache-2.0

import Audio
import Glibc
import Testing

struct LevelHistoryTests {
    /// Both channels the same.
    static func sine(_ frequency: Double, amplitude: Double, seconds: Double, _ format: AudioFormat) -> [Float] {
        let (channels, step) = (format.channelCount, 2 * Double.pi * frequency / Double(format.sampleRate))
        return (0..<Int(format.frames(seconds)) * channels).map { index in
            Float(amplitude * sin(step * Double(index / channels) + 0.3))
        }
    }

    private func history(of samples: [Float], _ format: AudioFormat) -> LevelHistory {
        let history = LevelHistory(format: format)
        let blocks = samples.count / format.channelCount / history.block
        var samples = samples
        samples.process(in: repeatElement(history.block, count: blocks), channels: format.channelCount) {
            samples, _, _ in
            history.add(samples)
        }
        return history
    }

    /// SPEC 79.
    @Test(arguments: [44_100, 48_000, 96_000, 8_000])
    func sineOfMinus6ReadsPeakMinus6AndAverageMinus9(sampleRate: Int) {
        let format = AudioFormat(sampleRate: sampleRate, layout: .stereo)
        let history = history(of: Self.sine(997, amplitude: 0.501187, seconds: 1, format), format)
        for channel in history.levels(ofLast: 0.1) {
            #expect(abs(channel.peak + 6) < 0.1 && abs(channel.average + 9.01) < 0.1)
            #expect(abs(channel.truePeak + 6) < 0.1)
        }
        #expect(history.levels(ofLast: 0.1).count == 2)
    }

    @Test func levelsAreOfTheLastMomentOnly_andLoudnessOfThreeSeconds() throws {
        let format = AudioFormat(sampleRate: 48_000, layout: .stereo)
        let loud = Self.sine(1_000, amplitude: 0.5, seconds: 2.8, format)
        let samples = loud + [Float](repeating: 0, count: 2 * 9_600)
        let history = history(of: samples, format)
        #expect(history.levels(ofLast: 0.1).allSatisfy { $0.peak == -160 && $0.average == -160 })
        #expect(history.levels(ofLast: 0.3).allSatisfy { $0.peak > -6.1 })
        let judge = try #require(LibEBUR128(loud, channels: 2, sampleRate: 48_000))
        // A fifteenth of the 3 s is silent.
        #expect(abs(history.shortTermLoudness - (judge.loudness + 10 * log10(2.8 / 3))) < 0.1)
    }

    /// A sine at a quarter of the sample rate, sampled half-way between its peaks: the samples are 3 dB lower.
    @Test func truePeakLiesBetweenTheSamples() {
        let format = AudioFormat(sampleRate: 48_000, layout: .mono)
        let samples = (0..<4_800).map { Float(0.5 * sin(Double.pi / 2 * Double($0) + Double.pi / 4)) }
        let channel = history(of: samples, format).levels(ofLast: 0.05)[0]
        #expect(abs(channel.peak + 9.03) < 0.05 && abs(channel.truePeak + 6.02) < 0.3)
    }

    @Test func silenceAndNothingReadTheFloor() {
        let format = AudioFormat(sampleRate: 48_000, layout: .mono)
        #expect(history(of: [], format).levels(ofLast: 1).map(\.peak) == [-160])
        #expect(history(of: [], format).shortTermLoudness == -160)
        #expect(history(of: [Float](repeating: 0, count: 480), format).shortTermLoudness == -160)
    }

    /// SPEC 289.
    @Test(arguments: [44_100, 48_000, 96_000], [32, 64])
    func sineLandsInItsBand(sampleRate: Int, count: Int) {
        let format = AudioFormat(sampleRate: sampleRate, layout: .stereo)
        var analyzer = SpectrumAnalyzer(format: format)
        let seconds = Double(analyzer.size) / Double(sampleRate)
        for band in 0..<count {
            let centre = (SpectrumAnalyzer.edge(band, of: count) * SpectrumAnalyzer.edge(band + 1, of: count))
                .squareRoot()
            let bands = analyzer.bands(count, of: Self.sine(centre, amplitude: 0.5, seconds: seconds, format))
            let loudest = bands.indices.max { bands[$0] < bands[$1] }
            #expect(loudest == band, "\(centre) Hz")
            #expect(abs(bands[band] + 6.02) < 1, "\(centre) Hz")
        }
    }

    @Test func fullScaleSineGives0dB_andOneChannelOfTwoHalfThePower() {
        let mono = AudioFormat(sampleRate: 48_000, layout: .mono)
        var analyzer = SpectrumAnalyzer(format: mono)
        let tone = Self.sine(1_000, amplitude: 1, seconds: Double(analyzer.size) / 48_000, mono)
        let loudest = analyzer.bands(32, of: tone).max() ?? -160
        #expect(abs(loudest) < 0.2)
        var stereo = SpectrumAnalyzer(format: AudioFormat(sampleRate: 48_000, layout: .stereo))
        let mean = stereo.bands(32, of: tone.flatMap { [$0, 0] }).max() ?? -160
        #expect(abs(mean + 3.01) < 0.2)
        // No power above half the sample rate, and all levels are finite.
        let low = AudioFormat(sampleRate: 8_000, layout: .mono)
        var short = SpectrumAnalyzer(format: low)
        let bands = short.bands(64, of: Self.sine(1_000, amplitude: 1, seconds: Double(short.size) / 8_000, low))
        #expect(bands.last == -160 && bands.allSatisfy { $0.isFinite })
    }
}
