// SPDX-License-Identifier: Apache-2.0

import Foundation
import PlaybackTesting
import Testing

@testable import Audio

struct ReverbTests {
    private static let rate = 48_000

    private static func response(_ reverb: UnsafeMutablePointer<Reverb>, seconds: Double) -> [Float] {
        let portions = Int((seconds * Double(rate) / 48).rounded())
        var samples = [Float](repeating: 0, count: 2 * 48 * portions)
        samples[0] = 1
        samples[1] = 1
        samples.process(in: repeatElement(48, count: portions)) { samples, _, frames in
            reverb.pointee.process(samples, frames: frames, channels: 2)
        }
        return samples
    }

    private static func with<Result>(
        _ parameters: Reverb.Parameters, rate: Int = rate, _ body: (UnsafeMutablePointer<Reverb>) -> Result
    ) -> Result {
        let reverb = UnsafeMutablePointer<Reverb>.allocate(capacity: 1)
        reverb.initialize(to: Reverb(sampleRate: rate))
        reverb.pointee.restart(parameters)
        defer { reverb.deallocate() }
        return body(reverb)
    }

    /// -60 dB after `decay`, within a fifth, by the slope of the remaining energy (Schroeder).
    @Test(arguments: [0.4, 0.8]) func theTailDecaysInItsTime(decay: Double) {
        let samples = Self.with(Reverb.Parameters(mix: 1, decay: decay)) { Self.response($0, seconds: decay) }
        func energy(_ from: Double, _ to: Double) -> Double {
            let (start, end) = (Int(from * decay * Double(Self.rate)), Int(to * decay * Double(Self.rate)))
            return (2 * start..<2 * end).reduce(0) { $0 + Double(samples[$1] * samples[$1]) }
        }
        let slope = 10 * log10(energy(0.2, 0.4) / energy(0.6, 0.8)) / 0.4
        #expect(abs(slope - 60) < 12)
        // The direct sound is excluded; the sides differ.
        #expect(samples[0] == 0 && (0..<samples.count / 2).contains { samples[2 * $0] != samples[2 * $0 + 1] })
    }

    /// The reverberation of a steady sound has the same level for all sample rates and decays.
    @Test func itsLevelDependsOnNeitherRateNorDecay() {
        func level(_ rate: Int, decay: Double) -> Double {
            var signal = Signal()
            // Noise below 2 kHz, equally loud at every rate.
            let share = Float(1 - exp(-2 * Double.pi * 2_000 / Double(rate)))
            var (low, dry, wet) = (Float(0), Float(0), Float(0))
            let frames = Int(Double(rate) * (decay + 1.5))
            Self.with(Reverb.Parameters(mix: 1, decay: decay), rate: rate) { reverb in
                for frame in 0..<frames {
                    low += share * (signal.noise() - low)
                    var samples = [low, low]
                    reverb.pointee.process(&samples, frames: 1, channels: 2)
                    guard frame > frames - rate else { continue }
                    dry += 2 * low * low
                    wet += samples[0] * samples[0] + samples[1] * samples[1]
                }
            }
            return 10 * log10(Double(wet / dry))
        }
        let usual = level(48_000, decay: 1.5)
        #expect(abs(usual) < 4, "\(usual)")
        for (rate, decay) in [(48_000, 0.5), (48_000, 5), (44_100, 1.5), (88_200, 1.5), (96_000, 0.5), (192_000, 1.5)] {
            let other = level(rate, decay: decay)
            #expect(abs(other - usual) < 1.5, "\(rate) Hz, \(decay) s: \(other) dB")
        }
    }

    @Test func off_samplesPassUnchanged() {
        let samples = Self.with(.off) { Self.response($0, seconds: 0.1) }
        #expect(samples[0] == 1 && samples.dropFirst(2).allSatisfy { $0 == 0 })
    }

    /// A sine in progress would begin with a click in each line, and a gain that changes per block would be audible.
    @Test(arguments: [
        (Reverb.Parameters.off, Reverb.Parameters(mix: 0.7, decay: 1.5)),
        (Reverb.Parameters(mix: 0.3, decay: 1.5), Reverb.Parameters(mix: 1, decay: 5)),
        (Reverb.Parameters(mix: 1, decay: 0.5), Reverb.Parameters(mix: 0.2, decay: 3)),
    ])
    func changed_aSineHasNoStep(old: Reverb.Parameters, new: Reverb.Parameters) {
        let frames = 2 * Self.rate
        let turn = 2 * Double.pi * 997 / Double(Self.rate)
        var samples = (0..<2 * frames).map { (index: Int) -> Float in Float(0.5 * sin(turn * Double(index / 2))) }
        // The reverberation of the beginning has died away by then.
        let change = 25_008
        Self.with(old) { reverb in
            samples.process(in: repeatElement(48, count: frames / 48)) { samples, first, frames in
                if first == change { reverb.pointee.move(to: new, now: false) }
                reverb.pointee.process(samples, frames: frames, channels: 2)
            }
        }
        let left = (0..<frames).map { Double(samples[2 * $0]) }
        // A sine's next sample follows from the two before; the difference is a step.
        let factor = 2 * cos(turn)
        let steps = (change - 100..<frames).map { (index: Int) -> Double in
            abs(left[index] - factor * left[index - 1] + left[index - 2])
        }
        let largest = steps.max() ?? 1
        #expect(20 * log10(largest / 0.5) < -60, "\(largest)")
    }

    @Test func switchedOff_itFadesOutAndIsBitExactAgain() {
        Self.with(Reverb.Parameters(mix: 0.5, decay: 2)) { reverb in
            _ = Self.response(reverb, seconds: 0.2)
            reverb.pointee.move(to: .off, now: false)
            _ = Self.response(reverb, seconds: 0.05)
            #expect(reverb.pointee.isSilent)
            #expect(Self.response(reverb, seconds: 0.2).dropFirst(2).allSatisfy { $0 == 0 })
        }
    }

    @Test func aCopyContinuesAlike_andValuesThatAreNotFiniteDoNotStay() {
        Self.with(Reverb.Parameters(mix: 0.5, decay: 1)) { reverb in
            _ = Self.response(reverb, seconds: 0.1)
            let copy = reverb.pointee
            let first = Self.response(reverb, seconds: 0.1)
            reverb.pointee = copy
            #expect(Self.response(reverb, seconds: 0.1) == first)
            var bad: [Float] = [.nan, .infinity]
            reverb.pointee.process(&bad, frames: 1, channels: 2)
            #expect(Self.response(reverb, seconds: 0.1).allSatisfy { $0.isFinite })
        }
    }

    /// Checkpoints contain it (decision 0070).
    @Test func itsStateIsAtMost64KB() { #expect(MemoryLayout<Reverb>.size <= 64 << 10) }
}
