// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// K-weighted power (ITU-R BS.1770). Real-time safe; a value, including its state.
public struct LoudnessMeter: BitwiseCopyable, Sendable {
    private static var piece: Int { @_noLocks @_noAllocation get { 64 } }

    private let channels: Int
    private var weighting = Equalizer()
    private var weights = InlineArray<8, Double>(repeating: 1)

    public init(format: AudioFormat) {
        channels = format.channelCount
        weighting.append(Self.head(Double(format.sampleRate)))
        weighting.append(Self.highPass(Double(format.sampleRate)))
        for (channel, position) in format.layout.positions.enumerated() {
            switch position {
            case .rearLeft, .rearRight, .sideLeft, .sideRight: weights[channel] = 1.41
            case .lowFrequency: weights[channel] = 0
            default: break
            }
        }
    }

    /// The weighted sum of squares of all channels.
    @_noLocks @_noAllocation
    public mutating func energy(of samples: UnsafePointer<Float>, frames: Int) -> Double {
        var energy = 0.0
        var copy = InlineArray<512, Float>(repeating: 0)
        var done = 0
        while done < frames {
            let count = min(Self.piece, frames - done)
            withUnsafeMutableBytes(of: &copy) { bytes in
                guard let copy = bytes.baseAddress?.assumingMemoryBound(to: Float.self) else { return }
                copySamples(samples + done * channels, to: copy, count: count * channels)
                weighting.process(copy, frames: count, channels: channels)
                for channel in 0..<channels {
                    var sum: Float = 0
                    var position = channel
                    for _ in 0..<count {
                        sum += copy[position] * copy[position]
                        position += channels
                    }
                    energy += weights[unchecked: channel] * Double(sum)
                }
            }
            done += count
        }
        return energy
    }

    /// LUFS of `frames` frames with this total energy; at least -160.
    public static func loudness(energy: Double, frames: Int) -> Double {
        guard frames > 0, energy > 0 else { return -160 }
        return max(-160, decibels(power: energy / Double(frames)) - 0.691)
    }

    // BS.1770 specifies its filters for 48 kHz only. These are their analog prototypes, as in libebur128.

    /// The acoustic effect of the head: +4 dB above 1.7 kHz.
    private static func head(_ sampleRate: Double) -> BiquadCoefficients {
        let k = tan(Double.pi * 1_681.974450955533 / sampleRate)
        let q = 0.7071752369554196
        let high = pow(10, 3.999843853973347 / 20)
        let band = pow(high, 0.4996667741545416)
        let a0 = 1 + k / q + k * k
        return BiquadCoefficients(
            b0: (high + band * k / q + k * k) / a0, b1: 2 * (k * k - high) / a0, b2: (high - band * k / q + k * k) / a0,
            a1: 2 * (k * k - 1) / a0, a2: (1 - k / q + k * k) / a0)
    }

    private static func highPass(_ sampleRate: Double) -> BiquadCoefficients {
        let k = tan(Double.pi * 38.13547087602444 / sampleRate)
        let q = 0.5003270373238773
        let a0 = 1 + k / q + k * k
        return BiquadCoefficients(b0: 1, b1: -2, b2: 1, a1: 2 * (k * k - 1) / a0, a2: (1 - k / q + k * k) / a0)
    }
}
