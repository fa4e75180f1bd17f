// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// Reproducible test signals.
public struct Signal: Sendable {
    private var state: UInt64

    public init(seed: UInt64 = 1) { state = seed }

    /// -1...1.
    public mutating func noise() -> Float {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Float(Int32(truncatingIfNeeded: state >> 32)) / 0x1p31
    }

    /// In a range.
    public mutating func value(_ range: ClosedRange<Double>) -> Double {
        range.lowerBound + (Double(noise()) + 1) / 2 * (range.upperBound - range.lowerBound)
    }

    /// Interleaved: a complex sine, with its real part in the left channel and its imaginary part in the right one.
    public static func turning(_ frequency: Double, at sampleRate: Int, from first: Int = 0, frames: Int) -> [Float] {
        (0..<frames * 2).map { index in
            let angle = 2 * Double.pi * frequency * Double(first + index / 2) / Double(sampleRate)
            return Float(index % 2 == 0 ? cos(angle) : sin(angle))
        }
    }
}

/// The envelope of a complex sine: its amplitude and phase, frame by frame.
public struct Envelope: Sendable {
    /// The largest change from one frame to the next.
    public private(set) var worstStep = 0.0
    public private(set) var level = 0.0

    public init(_ samples: ArraySlice<Float>, frequency: Double, sampleRate: Int, from first: Int) {
        var last: (Double, Double)?
        for frame in 0..<samples.count / 2 {
            let angle = -2 * Double.pi * frequency * Double(first + frame) / Double(sampleRate)
            let (x, y) = (
                Double(samples[samples.startIndex + 2 * frame]), Double(samples[samples.startIndex + 2 * frame + 1])
            )
            let now = (x * cos(angle) - y * sin(angle), x * sin(angle) + y * cos(angle))
            if let last { worstStep = max(worstStep, hypot(now.0 - last.0, now.1 - last.1)) }
            level = max(level, hypot(now.0, now.1))
            last = now
        }
    }
}
