// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// The waveform between the samples, at four times their rate (twice from 96 kHz on): the interpolator of libebur128 (49 taps, a
/// sine cardinal under a Hann window), so that its measure and ours agree. Real-time safe.
///
/// One of its phases is the samples themselves. The three others have 12 taps each; of two, the other one has 24.
public struct TruePeakInterpolator: BitwiseCopyable, Sendable {
    /// Frames before the first one that must be at hand.
    public static var history: Int { @_noLocks @_noAllocation get { 23 } }
    /// No point between samples is further from zero than this times the farthest sample around it.
    public let overshoot: Float

    /// 1 from 192 kHz on, where the samples are close enough to each other.
    private let factor: Int
    /// Phase after phase, each from the newest frame to the oldest.
    private var taps = InlineArray<36, Float>(repeating: 0)

    public init(sampleRate: Int) {
        factor = sampleRate < 96_000 ? 4 : sampleRate < 192_000 ? 2 : 1
        overshoot = factor == 4 ? 1.87 : factor == 2 ? 2.31 : 1
        let count = 48 / factor
        for phase in 1..<max(factor, 1) {
            for tap in 0..<count {
                let index = Double(phase + factor * tap)
                let angle = (index - 24) * Double.pi / Double(factor)
                let window = 0.5 * (1 - cos(2 * Double.pi * index / 48))
                taps[(phase - 1) * count + tap] = Float((angle == 0 ? 1 : sin(angle) / angle) * window)
            }
        }
    }

    /// Raises each of `peaks` to the largest magnitude of 8 samples of one channel and of the points up to 12 frames before each.
    /// The 23 samples before `samples` can be read as well.
    @_noLocks @_noAllocation
    public func measure(
        _ samples: UnsafePointer<Float>, groups: Int, into peaks: UnsafeMutablePointer<Float>
    ) {
        // A copy that is reached by pointer: subscripts of an array in `self` copy all of it each time.
        var taps = self.taps
        withUnsafeBytes(of: &taps) { bytes in
            guard let taps = bytes.baseAddress?.assumingMemoryBound(to: Float.self) else { return }
            for group in 0..<groups {
                let peak = peak(samples + group * 8, taps)
                if peak > peaks[group] { peaks[group] = peak }
            }
        }
    }

    @_noLocks @_noAllocation @inline(__always)
    private func peak(_ samples: UnsafePointer<Float>, _ taps: UnsafePointer<Float>) -> Float {
        let raw = UnsafeRawPointer(samples)
        var largest = Self.magnitude(raw.loadUnaligned(as: SIMD8<Float>.self))
        var (first, second, third) = (SIMD8<Float>(), SIMD8<Float>(), SIMD8<Float>())
        if factor == 4 {
            for tap in 0..<12 {
                let frames = (raw - tap * 4).loadUnaligned(as: SIMD8<Float>.self)
                first += frames * taps[tap]
                second += frames * taps[12 + tap]
                third += frames * taps[24 + tap]
            }
            largest = Self.larger(largest, Self.larger(Self.magnitude(second), Self.magnitude(third)))
        } else if factor == 2 {
            for tap in 0..<24 { first += (raw - tap * 4).loadUnaligned(as: SIMD8<Float>.self) * taps[tap] }
        }
        return Self.largest(Self.larger(largest, Self.magnitude(first)))
    }

    @_noLocks @_noAllocation @inline(__always)
    private static func larger(_ left: SIMD8<Float>, _ right: SIMD8<Float>) -> SIMD8<Float> {
        left.replacing(with: right, where: right .> left)
    }

    @_noLocks @_noAllocation @inline(__always)
    private static func magnitude(_ values: SIMD8<Float>) -> SIMD8<Float> {
        values.replacing(with: -values, where: values .< 0)
    }

    @_noLocks @_noAllocation @inline(__always)
    private static func largest(_ values: SIMD8<Float>) -> Float {
        var half = values.lowHalf
        half.replace(with: values.highHalf, where: values.highHalf .> half)
        return max(max(half.x, half.y), max(half.z, half.w))
    }
}
