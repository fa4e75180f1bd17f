// SPDX-License-Identifier: Apache-2.0

/// Up to 12 second-order filters in series, for up to 8 channels. Real-time safe; a value, including its state.
///
/// Each frame passes all bands, two channels at a time, which is the fastest order. Float state would make the response
/// 0.8 dB wrong at 192 kHz, hence double precision. The coefficients are fixed: a change is a crossfade to another equaliser.
public struct Equalizer: BitwiseCopyable, Sendable {
    public static var bandLimit: Int { @_noLocks @_noAllocation get { 12 } }

    /// Each coefficient is stored twice: otherwise the compiler broadcasts it for each frame.
    private struct Band: BitwiseCopyable {
        var b0: SIMD2<Double>
        var b1: SIMD2<Double>
        var b2: SIMD2<Double>
        var a1: SIMD2<Double>
        var a2: SIMD2<Double>

        init(_ band: BiquadCoefficients) {
            (b0, b1, b2) = (SIMD2(repeating: band.b0), SIMD2(repeating: band.b1), SIMD2(repeating: band.b2))
            (a1, a2) = (SIMD2(repeating: band.a1), SIMD2(repeating: band.a2))
        }
    }

    private struct Memory: BitwiseCopyable {
        var first = SIMD2<Double>()
        var second = SIMD2<Double>()
    }

    private var bands = InlineArray<12, Band>(repeating: Band(BiquadCoefficients()))
    public private(set) var count = 0
    /// 12 for the first two channels, then 12 for the next two, ...
    private var memories = InlineArray<48, Memory>(repeating: Memory())

    public init() {}

    /// Whether all samples pass unchanged.
    public var isNeutral: Bool {
        @_noLocks @_noAllocation get { count == 0 }
    }

    /// Leaves out the identity, and bands beyond the limit.
    public mutating func append(_ band: BiquadCoefficients) {
        guard band != .identity, count < Self.bandLimit else { return }
        bands[count] = Band(band)
        count += 1
    }

    /// Applies a gain before the bands. If there are none, it becomes a band.
    public mutating func amplify(by factor: Double) {
        guard count > 0 else { return append(BiquadCoefficients(factor: factor)) }
        bands[0].b0 *= factor
        bands[0].b1 *= factor
        bands[0].b2 *= factor
    }

    /// Filters interleaved frames in place.
    @_noLocks @_noAllocation
    public mutating func process(_ samples: UnsafeMutablePointer<Float>, frames: Int, channels: Int) {
        guard count > 0 else { return }
        for pair in 0..<(channels + 1) / 2 {
            let isPair = 2 * pair + 1 < channels
            var position = 2 * pair
            for _ in 0..<frames {
                let second = isPair ? Double(samples[position + 1]) : 0
                let value = step(SIMD2(Double(samples[position]), second), pair * Self.bandLimit)
                samples[position] = Float(value.x)
                if isPair { samples[position + 1] = Float(value.y) }
                position += channels
            }
        }
    }

    /// Transposed direct form II.
    @_noLocks @_noAllocation @inline(__always)
    private mutating func step(_ input: SIMD2<Double>, _ memory: Int) -> SIMD2<Double> {
        var x = input
        for index in 0..<count {
            let band = bands[unchecked: index]
            let state = memories[unchecked: memory &+ index]
            let y = band.b0 * x + state.first
            memories[unchecked: memory &+ index] = Memory(
                first: band.b1 * x + state.second - band.a1 * y, second: band.b2 * x - band.a2 * y)
            x = y
        }
        return x
    }
}
