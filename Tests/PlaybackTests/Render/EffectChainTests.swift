// SPDX-License-Identifier: Apache-2.0

import Audio
import Glibc
import PlaybackTesting
import Testing

@testable import Playback

struct EffectChainTests {
    private let stereo = AudioFormat(sampleRate: 48_000, layout: .stereo)

    private func parameters(
        _ number: UInt64 = 1, format: AudioFormat? = nil, _ set: (inout EffectSettings) -> Void
    ) -> EffectParameters {
        EffectParameters(.on(set), format: format ?? stereo, number: number)
    }

    private func bands(_ number: UInt64, _ bands: [EffectSettings.Band]) -> EffectParameters {
        parameters(number) {
            $0.equalizer.isEnabled = true
            $0.equalizer.bands = bands
        }
    }

    private func run(
        _ chain: inout EffectChain, _ samples: ArraySlice<Float>, channels: Int = 2, guarding: Bool = false
    ) -> [Float] {
        let quantum = EffectChain.quantum * channels
        var output = Array(samples)
        output.withUnsafeMutableBufferPointer { output in
            guard let first = output.baseAddress else { return }
            for start in stride(from: 0, to: output.count - quantum + 1, by: quantum) {
                chain.process(first + start, into: first + start, guarding: guarding)
            }
        }
        return output
    }

    private func noise(_ frames: Int, channels: Int = 2, level: Float = 1) -> [Float] {
        var signal = Signal()
        return (0..<frames * channels).map { _ in level * signal.noise() }
    }

    // MARK: Neutral

    /// Also above full scale.
    @Test(arguments: [1, 2, 5, 8])
    func neutralChainGivesBackWhatCameIn(channels: Int) {
        let positions: [ChannelPosition] = [
            .frontLeft, .frontRight, .frontCenter, .lowFrequency, .rearLeft, .rearRight, .sideLeft, .sideRight,
        ]
        let format = AudioFormat(
            sampleRate: 48_000, layout: ChannelLayout(positions: Array(positions[..<channels])))
        let neutral = [
            EffectParameters(.off, format: format, number: 1),
            parameters(2, format: format) { _ in },
            parameters(3, format: format) {
                $0.equalizer.isEnabled = true
                $0.equalizer.bands = [.init(.peak, frequency: 100, gain: 0, q: 1)]
            },
        ]
        let samples = noise(640, channels: channels, level: 3)
        for parameters in neutral {
            #expect(parameters.isNeutral)
            var chain = EffectChain(parameters)
            let output = run(&chain, samples[...], channels: channels)
            let isSame = output[(128 * channels)...] == samples[..<(512 * channels)]
            #expect(isSame && chain.isTransparent == true)
        }
    }

    @Test func disabledEffectsAreNeutral_whateverIsSet() {
        let parameters = parameters {
            $0.isEnabled = false
            $0.mono = true
            $0.limiter.isEnabled = true
            $0.equalizer.isEnabled = true
            $0.equalizer.preamp = 6
        }
        #expect(parameters.isNeutral)
    }

    /// Switching on and off leaves no step, and the decoded samples return bit by bit.
    @Test func backToNeutralIsTransparentAgain() {
        var samples = Signal.turning(440, at: 48_000, frames: 64 * 600)
        for index in samples.indices { samples[index] *= 0.2 }
        var chain = EffectChain(EffectParameters(.off, format: stereo, number: 0))
        var output = run(&chain, samples[..<25_600])
        chain.beginChange(
            to: bands(
                1, [.init(.peak, frequency: 440, gain: 9, q: 1), .init(.highShelf, frequency: 3_000, gain: -9, q: 1)]))
        samples.withUnsafeBufferPointer { if let first = $0.baseAddress { chain.warm(first, frames: 12_800) } }
        #expect(chain.isChanging && !chain.isTransparent)
        output += run(&chain, samples[25_600..<38_400])
        #expect(!chain.isChanging && !chain.isTransparent)
        chain.beginChange(to: EffectParameters(.off, format: stereo, number: 0))
        output += run(&chain, samples[38_400...])
        let (isTransparent, isSame) = (chain.isTransparent, output[51_200...] == samples[50_944..<samples.count - 256])
        #expect(isTransparent && isSame)
        let envelope = Envelope(output[1_000...], frequency: 440, sampleRate: 48_000, from: 500)
        #expect(20 * log10(envelope.worstStep / envelope.level) < -60)
    }

    // MARK: Changes

    /// Random bands; the sine has the frequency of one of them, where the filters differ most.
    @Test(arguments: 0..<4)
    func changeOfABandLeavesNoStep(seed: Int) {
        var signal = Signal(seed: UInt64(seed) + 7)
        func band() -> EffectSettings.Band {
            let shapes: [BiquadCoefficients.Shape] = [.peak, .peak, .lowShelf, .highShelf]
            return EffectSettings.Band(
                shapes[Int(signal.value(0...3.99))], frequency: exp(signal.value(log(40)...log(16_000))),
                gain: signal.value(-12...12), q: signal.value(0.3...4))
        }
        for _ in 0..<5 {
            let (old, new) = (band(), band())
            let frequency = signal.noise() < 0 ? old.frequency : new.frequency
            let (step, text) = worstStep(from: [old], to: [new], at: frequency)
            #expect(step < -60, "\(text)")
        }
    }

    @Test func changeOfAllBandsAndExtremesLeavesNoStep() {
        func tenBands(_ gain: Double) -> [EffectSettings.Band] {
            (0..<10).map { .init(.peak, frequency: 31.25 * Double(1 << $0), gain: gain, q: 1.41) }
        }
        #expect(worstStep(from: tenBands(-6), to: tenBands(6), at: 1_000).0 < -60)
        let sharp = EffectSettings.Band(.peak, frequency: 700, gain: 24, q: 30)
        #expect(worstStep(from: [sharp], to: [.init(.peak, frequency: 900, gain: -24, q: 0.5)], at: 700).0 < -60)
        #expect(worstStep(from: [], to: [.init(.highPass, frequency: 2_000, q: 0.7)], at: 500).0 < -60)
    }

    private func worstStep(
        from old: [EffectSettings.Band], to new: [EffectSettings.Band], at frequency: Double
    ) -> (Double, String) {
        let past = 64 * 190
        let samples = Signal.turning(frequency, at: 48_000, frames: past + 64 * 70).map { $0 * 0.05 }
        var chain = EffectChain(bands(1, old))
        return samples.withUnsafeBufferPointer { buffer in
            guard let first = buffer.baseAddress else { return (0, "") }
            chain.warm(first, frames: past - 640)
            var output = run(&chain, samples[2 * (past - 640)..<2 * past])
            chain.beginChange(to: bands(2, new))
            chain.warm(first + 2 * (past - 12_000), frames: 12_000)
            output += run(&chain, samples[(2 * past)...])
            #expect(!chain.isChanging && chain.number == 2)
            let envelope = Envelope(
                output[512...], frequency: frequency, sampleRate: 48_000, from: past - 640 + 128)
            return (20 * log10(envelope.worstStep / envelope.level), "\(old) to \(new) at \(frequency)")
        }
    }

    // MARK: A value

    /// A copy continues exactly like the chain, even in the middle of a change.
    @Test func copyRendersTheSameAgain() {
        let samples = noise(64 * 60, level: 2)
        var chain = EffectChain(bands(1, [.init(.peak, frequency: 300, gain: 12, q: 1)]))
        _ = run(&chain, samples[..<2_560])
        chain.beginChange(
            to: parameters(2) {
                $0.compressor.isEnabled = true
                $0.crossfeed.isEnabled = true
            })
        _ = run(&chain, samples[2_560..<3_072])
        var copy = chain
        let isSame = run(&chain, samples[3_072...]) == run(&copy, samples[3_072...])
        #expect(isSame)
        #expect(MemoryLayout<EffectChain>.size < 10_240)
    }

    @Test func effectsNeverExceedFullScale_norTheCeiling() {
        let samples = noise(64 * 200)
        let loud = [EffectSettings.Band(.lowShelf, frequency: 300, gain: 24, q: 0.7)]
        var chain = EffectChain(bands(1, loud))
        #expect(run(&chain, samples[...]).allSatisfy { abs($0) <= 1 })
        chain = EffectChain(
            parameters {
                $0.limiter.isEnabled = true; $0.limiter.ceiling = -6
            })
        #expect(run(&chain, samples[...]).allSatisfy { abs($0) <= 0.5012 })
        // Two decks mixed, without effects.
        chain = EffectChain(EffectParameters(.off, format: stereo, number: 0))
        #expect(run(&chain, samples.map { 2 * $0 }[...], guarding: true).allSatisfy { abs($0) <= 1 })
        #expect(!chain.isTransparent)
    }

    // MARK: What is no sound

    @Test(arguments: [Float.nan, .infinity, -.infinity, .greatestFiniteMagnitude, .leastNonzeroMagnitude])
    func theOutputIsFinite(value: Float) {
        var chain = EffectChain(
            parameters {
                $0.equalizer.isEnabled = true
                $0.equalizer.preamp = 24
                $0.equalizer.bands = (0..<12).map { _ in .init(.lowPass, frequency: 12_000, q: 30) }
                $0.compressor.isEnabled = true
                $0.crossfeed.isEnabled = true
                $0.width = 2
                $0.limiter.isEnabled = true
            })
        var samples = noise(64 * 400)
        for index in stride(from: 1_000, to: 3_000, by: 3) { samples[index] = value }
        let output = run(&chain, samples[...])
        #expect(output.allSatisfy { $0.isFinite })
        #expect(output[20_000...].contains { $0 != 0 })
    }
}
