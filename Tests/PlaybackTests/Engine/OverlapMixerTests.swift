// SPDX-License-Identifier: Apache-2.0

import Audio
import Glibc
import PlaybackTesting
import Testing

@testable import Playback

@Suite struct OverlapMixerTests {
    private static let format = AudioFormat(sampleRate: 44_100, layout: .stereo)

    private static func noise(_ frames: Int, seed: UInt64, level: Float) -> [Float] {
        var signal = Signal(seed: seed)
        return (0..<frames * 2).map { _ in level * signal.noise() }
    }

    private static func mix(
        _ tail: [Float], _ head: [Float], gain: Float = 1, ceiling: Float = 1, parts: [Int]? = nil
    ) -> [Float] {
        var mixer = OverlapMixer(tail, gain: gain, ceiling: ceiling, format: format)
        var output: [Float] = []
        var rest = head[...]
        var sizes = (parts ?? [head.count / 2])[...]
        while !rest.isEmpty {
            let count = (sizes.popFirst() ?? rest.count / 2) * 2
            output += Array(rest.prefix(count)).withUnsafeBufferPointer { mixer.mix($0) }
            #expect(output.count + mixer.pending * 2 == head.count - rest.dropFirst(count).count)
            rest = rest.dropFirst(count)
        }
        return output + mixer.finish()
    }

    private static func decibels(_ samples: ArraySlice<Float>) -> Double {
        10 * log10(samples.reduce(0) { $0 + Double($1) * Double($1) } / Double(samples.count))
    }

    /// SPEC row 278.
    @Test func powerStays_withinOneDecibel() {
        let frames = 88_200
        let tail = Self.noise(frames, seed: 1, level: 0.4)
        let head = Self.noise(frames * 2, seed: 2, level: 0.4)
        let output = Self.mix(tail, head)
        #expect(output.count == head.count)
        let whole = Self.decibels(head[...])
        for part in 0..<20 {
            #expect(abs(Self.decibels(output[(part * frames / 10)..<((part + 1) * frames / 10)]) - whole) < 1)
        }
        // Unchanged after the overlap.
        #expect(output[(2 * frames)...] == head[(2 * frames)...])
    }

    @Test(arguments: [1, 63, 64, 65, 1_000, 20_000]) func isTheSum_forAnyChunkSizes(frames: Int) {
        let tail = Self.noise(frames, seed: 3, level: 0.3)
        let head = Self.noise(40_000, seed: 4, level: 0.3)
        let whole = Self.mix(tail, head, gain: 0.5)
        let rising = CrossfadeCurve(.rising, start: 0, frames: FrameCount(frames))
        let falling = CrossfadeCurve(.falling, start: 0, frames: FrameCount(frames))
        for frame in 0..<40_000 {
            let index = FrameCount(frame)
            let old = frame < frames ? 0.5 * falling.gain(at: index) * tail[2 * frame] : 0
            guard abs(whole[2 * frame] - (old + rising.gain(at: index) * head[2 * frame])) < 1e-6 else {
                return #expect(Bool(false), "frame \(frame)")
            }
        }
        #expect(Self.mix(tail, head, gain: 0.5, parts: [1, 62, 1, 3, 500, 64, 128, 7_777]) == whole)
    }

    @Test func twoAtFullScale_stayBelowIt_andTheGainComesBack() {
        let frames = 22_050
        let sine = Signal.turning(100, at: 44_100, frames: 132_300)
        let output = Self.mix(Array(sine[..<(2 * frames)]), sine)
        #expect(output.allSatisfy { abs($0) <= 1 })
        #expect(output.count == sine.count && output[220_000...] == sine[220_000...])
        let quiet = Self.mix(Array(sine[..<(2 * frames)]), sine, ceiling: 0.5)
        #expect(quiet[..<(2 * frames)].allSatisfy { abs($0) <= 0.5 })
    }

    @Test func anItemThatEndsInTheOverlap_losesNothingOfTheTail() {
        let tail = Self.noise(10_000, seed: 5, level: 0.3)
        var mixer = OverlapMixer(tail, gain: 1, ceiling: 1, format: Self.format)
        let head = Self.noise(100, seed: 6, level: 0.3)
        var output = head.withUnsafeBufferPointer { mixer.mix($0) }
        let silence = [Float](repeating: 0, count: mixer.tailLeft * 2)
        #expect(mixer.tailLeft == 9_900)
        output += silence.withUnsafeBufferPointer { mixer.mix($0) }
        output += mixer.finish()
        let falling = CrossfadeCurve(.falling, start: 0, frames: 10_000)
        #expect(output.count == 20_000 && mixer.pending == 0)
        #expect(abs(output[10_000] - tail[10_000] * falling.gain(at: 5_000)) < 1e-6)
    }
}
