// SPDX-License-Identifier: Apache-2.0

import Audio
import Testing

struct PCM16QuantizerTests {
    private func quantize(_ samples: [Float]) -> [Int16] {
        var output = [Int16](repeating: 0, count: samples.count)
        PCM16Quantizer.quantize(samples, into: &output, count: samples.count)
        return output
    }

    @Test func everySampleComesBack() {
        let all = Array(Int16.min...Int16.max)
        #expect(quantize(all.map { Float($0) / 32_768 }) == all)
    }

    @Test func outOfRangeIsClamped_andNaNSilent() {
        #expect(
            quantize([1, 2, -1, -3, .infinity, -.infinity, .nan]) == [
                32_767, 32_767, -32_768, -32_768, 32_767, -32_768, 0,
            ])
        #expect(quantize([0.6 / 32_768, -0.6 / 32_768, 0.4 / 32_768]) == [1, -1, 0])
    }
}

struct ChannelMapperTests {
    private static let surround = ChannelLayout(
        positions: [.frontLeft, .frontRight, .frontCenter, .lowFrequency, .rearLeft, .rearRight])

    private func map(_ samples: [Float], _ input: ChannelLayout, _ output: ChannelLayout) -> [Float] {
        let frames = samples.count / input.positions.count
        var result = [Float](repeating: 9, count: frames * output.positions.count)
        ChannelMapper(from: input, to: output).map(samples, into: &result, frames: frames)
        return result
    }

    @Test func monoAndStereo() {
        #expect(map([0.25, -1], .mono, .stereo) == [0.25, 0.25, -1, -1])
        #expect(map([1, 0.5], .stereo, .mono) == [0.75])
        #expect(map([1, 0.5], .stereo, Self.surround) == [1, 0.5, 0, 0, 0, 0])
        #expect(ChannelMapper(from: .stereo, to: .stereo).isIdentity)
    }

    /// ITU-R BS.775-3, annex 4, table 2: 3/2 to 2/0, divided by 1 + 2 * 0.7071 against clipping.
    @Test func surroundToStereo() {
        let result = map([1, 0, 1, 1, 1, 0], Self.surround, .stereo)
        #expect(abs(result[0] - 1) < 1e-6)
        #expect(abs(result[1] - 0.7071 / 2.4142) < 1e-4)
    }

    private static let layouts: [ChannelLayout] = [
        .mono, .stereo, ChannelLayout(positions: [.frontLeft, .frontRight, .frontCenter]),
        ChannelLayout(positions: [.frontLeft, .frontRight, .rearLeft, .rearRight]), surround,
        ChannelLayout(positions: [.frontLeft, .frontRight, .frontCenter, .lowFrequency, .sideLeft, .sideRight]),
        ChannelLayout(positions: [
            .frontLeft, .frontRight, .frontCenter, .lowFrequency, .rearLeft, .rearRight, .rearCenter,
        ]),
        ChannelLayout(
            positions: [
                .frontLeft, .frontRight, .frontCenter, .lowFrequency, .rearLeft, .rearRight, .sideLeft, .sideRight,
            ]),
    ]

    /// For all pairs of layouts: full scale in all channels does not clip, and each channel except the LFE is audible.
    @Test(arguments: layouts, layouts) func nothingClips_andNothingIsLost(input: ChannelLayout, output: ChannelLayout) {
        let count = input.positions.count
        let all = map([Float](repeating: 1, count: count), input, output)
        #expect(all.allSatisfy { $0 <= 1.000_001 })
        for (channel, position) in input.positions.enumerated() where position != .lowFrequency {
            let one = map((0..<count).map { $0 == channel ? 1 : 0 }, input, output)
            #expect(one.contains { $0 > 0.1 })
            guard position == .frontCenter || position == .mono else { continue }
            // The centre stays central.
            let sides = [ChannelPosition.frontLeft, .frontRight].map { side in
                output.positions.firstIndex(of: side).map { one[$0] } ?? 0
            }
            #expect(sides[0] == sides[1])
        }
    }

    @Test func surroundStaysBehindTheListener() {
        let seven = Self.layouts[7], six = Self.layouts[6]
        let sides = map([0, 0, 0, 0, 0, 0, 1, 0], seven, Self.surround)
        #expect(sides[4] > 0 && sides[0] == 0)
        let back = map([0, 0, 0, 0, 0, 0, 1], six, Self.surround)
        #expect(back[4] > 0 && back[4] == back[5] && back[0] == 0)
    }

    @Test func unknownPositionsMapByOrder() {
        let layout = ChannelLayout(positions: [.auxiliary, .auxiliary, .auxiliary])
        #expect(map([1, 2, 3], layout, .stereo) == [1, 2])
    }
}

struct ChannelGainsTests {
    @Test func balanceAttenuatesTheOtherSide() {
        #expect(ChannelGains(volume: 0.5, muted: false, balance: -1) == ChannelGains(left: 0.5, right: 0, other: 0.5))
        #expect(ChannelGains(volume: 1, muted: false, balance: 0) == .unity)
        #expect(ChannelGains(volume: 1, muted: true, balance: 0.5) == .silence)
    }
}
