// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// Width, mono and crossfeed for headphones, by processing the difference of left and right.
///
/// The sum of both channels passes unchanged, so mono material stays bit-exact. Crossfeed removes a part of the difference's
/// low frequencies (below 700 Hz, first order), which puts that part on the other ear, delayed by the filter's phase. Only
/// left-right pairs of channels are processed.
public struct StereoImage: BitwiseCopyable, Sendable {
    /// Bit n: the channels 2n and 2n + 1 are a left-right pair.
    private let pairs: UInt8
    /// Factor of the difference, 0 (mono) ... 2.
    private let width: Float
    /// The part of the difference's low frequencies that is removed, 0...1.
    private let feed: Double
    private let pole: Double
    private var lows = InlineArray<4, Double>(repeating: 0)

    private static var crossover: Double { @_noLocks @_noAllocation get { 700.0 } }

    /// `level`: the difference in dB between both ears for low frequencies of one channel; nil for no crossfeed.
    public init(format: AudioFormat, width: Double, crossfeed level: Double?) {
        var pairs: UInt8 = 0
        let positions = format.layout.positions
        for pair in 0..<positions.count / 2 {
            switch (positions[2 * pair], positions[2 * pair + 1]) {
            case (.frontLeft, .frontRight), (.rearLeft, .rearRight), (.sideLeft, .sideRight): pairs |= 1 << UInt8(pair)
            default: break
            }
        }
        self.pairs = pairs
        self.width = Float(width)
        feed = level.map { 2 / (1 + pow(10, $0 / 20)) } ?? 0
        pole = 1 - exp(-2 * Double.pi * Self.crossover / Double(format.sampleRate))
    }

    public var isNeutral: Bool {
        @_noLocks @_noAllocation get { pairs == 0 || (width == 1 && feed == 0) }
    }

    @_noLocks @_noAllocation
    public mutating func process(_ samples: UnsafeMutablePointer<Float>, frames: Int, channels: Int) {
        guard !isNeutral else { return }
        for pair in 0..<channels / 2 where pairs & 1 << UInt8(pair) != 0 {
            var low = lows[pair]
            var position = 2 * pair
            for _ in 0..<frames {
                let (left, right) = (samples[position], samples[position + 1])
                let middle = (left + right) * 0.5
                let side = Double((left - right) * 0.5 * width)
                low += pole * (side - low)
                let rest = Float(side - feed * low)
                samples[position] = middle + rest
                samples[position + 1] = middle - rest
                position += channels
            }
            lows[pair] = low
        }
    }
}
