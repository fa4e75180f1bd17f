// SPDX-License-Identifier: Apache-2.0

import Audio
import Glibc
import PlaybackTesting
import Testing

struct LookAheadLimiterTests {
    private static let rate = 48_000

    enum Nasty: String, CaseIterable, CustomTestStringConvertible {
        case noise, clicks, bursts, quarterRate, square, sweep, step, impulsePairs, oneSide, chord

        var testDescription: String { rawValue }

        func sample(_ frame: Int, _ channel: Int, _ signal: inout Signal) -> Float {
            let t = Double(frame) / Double(rate)
            switch self {
            case .noise: return signal.noise()
            case .clicks: return frame % 1_117 == 0 ? (frame % 2 == 0 ? 1 : -1) : 0.01 * signal.noise()
            case .bursts: return frame / 2_400 % 2 == 0 ? Float(sin(2 * Double.pi * 997 * t)) : 0
            // The samples are 3 dB below the crests.
            case .quarterRate: return Float(sin(Double.pi / 2 * Double(frame) + Double.pi / 4))
            case .square: return sin(2 * Double.pi * 441 * t) < 0 ? -1 : 1
            case .sweep: return Float(sin(2 * Double.pi * (100 + 40_000 * t) * t))
            case .step: return frame < 4_800 ? 0.02 : frame < 14_400 ? 1 : -0.5
            case .impulsePairs: return frame % 640 < 2 ? 1 : 0
            case .oneSide: return channel == 0 ? Float(sin(2 * Double.pi * 11_000 * t)) : 0.001 * signal.noise()
            case .chord: return Float([110.0, 277.2, 9_973].reduce(0) { $0 + sin(2 * Double.pi * $1 * t) } / 3)
            }
        }
    }

    private func limited(_ samples: [Float], channels: Int, ceiling: Float, rate: Int = rate) -> [Float] {
        let layout = ChannelLayout(positions: channels == 1 ? [.mono] : [.frontLeft, .frontRight])
        var limiter = LookAheadLimiter(format: AudioFormat(sampleRate: rate, layout: layout), ceiling: ceiling)
        return Self.run(&limiter, samples, channels: channels)
    }

    private static func run(
        _ limiter: inout LookAheadLimiter, _ samples: some Collection<Float>, channels: Int = 2
    ) -> [Float] {
        var output = Array(samples)
        let quanta = samples.count / channels / LookAheadLimiter.quantum
        output.process(in: repeatElement(LookAheadLimiter.quantum, count: quanta), channels: channels) {
            samples, _, _ in
            limiter.process(samples, into: samples, isGuarding: false)
        }
        return output
    }

    /// Stereo, without a ceiling.
    private static var idle: LookAheadLimiter {
        LookAheadLimiter(format: AudioFormat(sampleRate: rate, layout: .stereo), ceiling: .infinity)
    }

    @Test(arguments: Nasty.allCases)
    func truePeakStaysUnderTheCeiling(nasty: Nasty) throws {
        var signal = Signal()
        let loud = Float(pow(10, 24.0 / 20))
        let frames = Self.rate / 2 / 64 * 64
        let samples = (0..<frames * 2).map { loud * nasty.sample($0 / 2, $0 % 2, &signal) }
        let output = limited(samples, channels: 2, ceiling: Float(pow(10, -1.0 / 20)))
        let judge = try #require(LibEBUR128(output, channels: 2, sampleRate: Self.rate))
        #expect(judge.truePeak < -0.9)
        // But no lower than necessary, if the signal is loud all the time.
        if nasty != .clicks, nasty != .impulsePairs { #expect(judge.truePeak > -1.6) }
    }

    @Test(arguments: [8_000, 96_000, 192_000])
    func ceilingHoldsAtOtherRates(rate: Int) throws {
        var signal = Signal()
        let samples = (0..<rate / 8 / 64 * 64).map {
            8 * Float(sin(2 * Double.pi * 0.13 * Double($0))) + signal.noise()
        }
        let output = limited(samples, channels: 1, ceiling: 0.5, rate: rate)
        let judge = try #require(LibEBUR128(output, channels: 1, sampleRate: rate))
        #expect(judge.truePeak < 20 * log10(0.5) + 0.1)
    }

    @Test func gainIsExactlyOneTwoSecondsAfter() {
        var limiter = LookAheadLimiter(format: AudioFormat(sampleRate: 8_000, layout: .mono), ceiling: 0.9)
        var signal = Signal()
        let loud = (0..<640).map { _ in 1e12 * signal.noise() }
        _ = Self.run(&limiter, loud, channels: 1)
        #expect(limiter.gain < 0.5)
        let quiet = (0..<16_000).map { _ in 0.4 * signal.noise() }
        _ = Self.run(&limiter, quiet, channels: 1)
        #expect(limiter.gain == 1)
        #expect(limiter.isIdle)
        let after = (0..<640).map { _ in 0.4 * signal.noise() }
        #expect(Self.run(&limiter, after, channels: 1)[128...] == after[..<512])
    }

    @Test func bothChannelsGetTheSameGain() {
        let samples = (0..<6_400).map { Float($0 % 2 == 0 ? 4 * sin(Double($0) / 9) : 0.25) }
        let output = limited(samples, channels: 2, ceiling: 1)
        for frame in stride(from: 1_000, to: 3_200, by: 7) where abs(samples[2 * (frame - 128)]) > 0.1 {
            let gain = output[2 * frame] / samples[2 * (frame - 128)]
            #expect(abs(output[2 * frame + 1] / 0.25 - gain) < 1e-4)
        }
    }

    /// A quiet signal must not be reduced within the last few milliseconds only.
    @Test(arguments: [(1, 0.25), (0.25, 0.063)] as [(Float, Float)])
    func ceilingMovesWithoutAStep(amplitude: Float, ceiling: Float) {
        var limiter = Self.idle
        let samples = Signal.turning(1_000, at: Self.rate, frames: 12_800).map { $0 * amplitude }
        var output = Self.run(&limiter, samples[..<6_400])
        limiter.move(to: ceiling, quanta: 30)
        output += Self.run(&limiter, samples[6_400...])
        let envelope = Envelope(output[1_000...], frequency: 1_000, sampleRate: Self.rate, from: 500)
        #expect(20 * log10(envelope.worstStep / Double(amplitude)) < -60)
        #expect(abs(limiter.gain - ceiling / amplitude) < 0.003)
    }

    /// At 10 Hz, one of the two channels has a crest every 25 ms. The samples of the other frequencies miss crests.
    @Test(arguments: [10, 25, 50, 100, 441, 1_000, 8_000, 12_000]) func steadySineFarAboveTheCeiling_hasASteadyGain(
        frequency: Int
    ) {
        let samples = Signal.turning(Double(frequency), at: Self.rate, frames: 38_400)
        for phase in 0..<8 {
            var limiter = Self.idle
            let (on, off) = (2 * 64 * (100 + 4 * phase), 2 * 64 * 350)
            var output = Self.run(&limiter, samples[..<on])
            limiter.move(to: 0.063, quanta: 60)
            output += Self.run(&limiter, samples[on..<off])
            limiter.move(to: .infinity, quanta: 60)
            output += Self.run(&limiter, samples[off...])
            func step(_ range: Range<Int>) -> Double {
                let samples = output[(2 * range.lowerBound)..<(2 * range.upperBound)]
                let envelope = Envelope(
                    samples, frequency: Double(frequency), sampleRate: Self.rate, from: range.lowerBound)
                return 20 * log10(max(envelope.worstStep, 1e-12))
            }
            #expect(step(256..<38_400) < -60)
            #expect(step(16_000..<22_400) < -100)
        }
    }
}
