// SPDX-License-Identifier: Apache-2.0

/// Measures each channel's true peak. Real-time safe; a value, including its state.
public struct TruePeakMeter: BitwiseCopyable, Sendable {
    private static var history: Int { @_noLocks @_noAllocation get { TruePeakInterpolator.history } }

    private let channels: Int
    private let interpolator: TruePeakInterpolator
    /// The last frames of each channel, oldest first.
    private var before = InlineArray<184, Float>(repeating: 0)

    public init(format: AudioFormat) {
        channels = format.channelCount
        interpolator = TruePeakInterpolator(sampleRate: format.sampleRate)
    }

    /// Writes one linear peak per channel. `frames` is a multiple of 8. A point between samples may count up to 12 frames late.
    @_noLocks @_noAllocation
    public mutating func measure(
        _ samples: UnsafePointer<Float>, frames: Int, into peaks: UnsafeMutablePointer<Float>
    ) {
        var line = TruePeakInterpolator.Line(repeating: 0)
        for channel in 0..<channels {
            for index in 0..<Self.history {
                line[unchecked: index] = before[unchecked: channel * Self.history + index]
            }
            var highest = SIMD8<Float>(repeating: 0)
            var done = 0
            while done < frames {
                let count = min(64, frames - done)
                for index in 0..<count {
                    line[unchecked: Self.history + index] = samples[(done + index) * channels + channel]
                }
                interpolator.measure(&line, groups: count / 8, into: &highest)
                for index in 0..<Self.history { line[unchecked: index] = line[unchecked: index + count] }
                done += count
            }
            for index in 0..<Self.history {
                before[unchecked: channel * Self.history + index] = line[unchecked: index]
            }
            peaks[channel] = highest.max()
        }
    }
}
