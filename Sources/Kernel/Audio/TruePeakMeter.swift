// SPDX-License-Identifier: Apache-2.0

/// The largest magnitudes, between the samples as well, channel by channel. Real-time safe; a value, state included.
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

    /// Linear, one number for each channel. `frames`: a multiple of 8. Points between samples count up to 12 frames later.
    @_noLocks @_noAllocation
    public mutating func measure(
        _ samples: UnsafePointer<Float>, frames: Int, into peaks: UnsafeMutablePointer<Float>
    ) {
        var line = InlineArray<88, Float>(repeating: 0)
        for channel in 0..<channels {
            for index in 0..<Self.history {
                line[unchecked: index] = before[unchecked: channel * Self.history + index]
            }
            var highest = InlineArray<8, Float>(repeating: 0)
            var done = 0
            while done < frames {
                let count = min(64, frames - done)
                for index in 0..<count {
                    line[unchecked: Self.history + index] = samples[(done + index) * channels + channel]
                }
                withUnsafeMutableBytes(of: &line) { line in
                    withUnsafeMutableBytes(of: &highest) { highest in
                        guard let line = line.baseAddress?.assumingMemoryBound(to: Float.self),
                            let highest = highest.baseAddress?.assumingMemoryBound(to: Float.self)
                        else { return }
                        interpolator.measure(line + Self.history, groups: count / 8, into: highest)
                    }
                }
                for index in 0..<Self.history { line[unchecked: index] = line[unchecked: index + count] }
                done += count
            }
            var peak: Float = 0
            for index in 0..<8 { peak = max(peak, highest[unchecked: index]) }
            for index in 0..<Self.history {
                before[unchecked: channel * Self.history + index] = line[unchecked: index]
            }
            peaks[channel] = peak
        }
    }
}
