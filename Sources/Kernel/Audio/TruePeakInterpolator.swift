// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// Interpolates between the samples at four times the sample rate (twice from 96 kHz on, once from 192 kHz on). It is the
/// interpolator of libebur128 (49 taps, a Hann-windowed sinc), so that both measure the same peaks. Real-time safe.
///
/// One phase is the samples themselves. With four phases the others have 12 taps each; with two, the other has 24.
struct TruePeakInterpolator: BitwiseCopyable, Sendable {
    /// Frames that are read before the first one.
    static var history: Int { @_noLocks @_noAllocation get { 23 } }
    /// `history` frames of one channel, followed by up to 64.
    typealias Line = InlineArray<88, Float>

    /// Upper bound of the ratio of a peak between samples to the highest sample around it.
    let overshoot: Float

    /// Points per sample.
    private let factor: Int
    /// All taps of a phase, from the newest frame to the oldest, phase after phase.
    private var taps = InlineArray<36, Float>(repeating: 0)

    init(sampleRate: Int) {
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

    /// Raises each of `peaks` to the largest magnitude of its group: 8 samples and the points up to 12 frames before each.
    @_noLocks @_noAllocation
    func measure(_ line: inout Line, groups: Int, into peaks: inout SIMD8<Float>) {
        // A copy behind a pointer: each subscript of an array in `self` would copy all of it.
        var taps = self.taps
        withUnsafeBytes(of: &taps) { taps in
            withUnsafeBytes(of: &line) { line in
                guard let taps = taps.baseAddress?.assumingMemoryBound(to: Float.self),
                    let line = line.baseAddress?.assumingMemoryBound(to: Float.self)
                else { return }
                for group in 0..<groups {
                    peaks[group] = max(peaks[group], peak(line + Self.history + group * 8, taps))
                }
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
