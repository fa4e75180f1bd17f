// SPDX-License-Identifier: Apache-2.0

import Audio
import Testing

struct GainRampTests {
    @Test func unityIsBitExact() {
        var samples: [Float] = [0.1, -.leastNonzeroMagnitude, 1.5, -0.0]
        let before = samples.map(\.bitPattern)
        var ramp = GainRamp(layout: .stereo)
        ramp.apply(to: &samples, frames: 2)
        #expect(samples.map(\.bitPattern) == before)
    }

    @Test func gainMovesLinearly_andRetargetsFromWhereItIs() {
        var ramp = GainRamp(layout: .stereo, gains: .silence)
        ramp.move(to: .unity, frames: 4)
        var samples = [Float](repeating: 1, count: 4)
        ramp.apply(to: &samples, frames: 2)
        #expect(samples == [0.25, 0.25, 0.5, 0.5])
        ramp.move(to: ChannelGains(left: 0, right: 1, other: 1), frames: 2)
        samples = [Float](repeating: 1, count: 6)
        ramp.apply(to: &samples, frames: 3)
        #expect(samples == [0.25, 0.75, 0, 1, 0, 1])
        #expect(ramp.current == ChannelGains(left: 0, right: 1, other: 0))
    }

    @Test func everyPositionFollowsItsSide() {
        let layout = ChannelLayout(positions: [
            .frontLeft, .frontRight, .frontCenter, .lowFrequency, .sideLeft, .rearRight,
        ])
        var ramp = GainRamp(layout: layout, gains: ChannelGains(left: 2, right: 3, other: 5))
        var samples = [Float](repeating: 1, count: 6)
        ramp.apply(to: &samples, frames: 1)
        #expect(samples == [2, 3, 5, 5, 2, 3])
    }

    @Test func copyRendersTheSameAgain_howeverTheFramesAreCut() {
        var whole = GainRamp(layout: .mono, gains: .silence)
        whole.move(to: .unity, frames: 100)
        var pieces = whole
        var first = [Float](repeating: 0.7, count: 120)
        var second = first
        whole.apply(to: &first, frames: 120)
        second.withUnsafeMutableBufferPointer { buffer in
            for start in stride(from: 0, to: 120, by: 8) { pieces.apply(to: buffer.baseAddress! + start, frames: 8) }
        }
        #expect(first == second)
    }
}
