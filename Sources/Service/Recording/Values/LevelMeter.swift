// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// The level of one channel over a tenth of a second.
public struct ChannelLevel: Hashable, Sendable {
    /// The level of digital silence: the lower end of the scale.
    public static let silence = -160.0

    /// Root mean square, in dB below full scale; a full-scale sine is -3.
    public var average = silence
    /// The largest sample, in dB below full scale.
    public var peak = silence

    /// 0 for silence, 1 for full scale, for drawing a meter.
    public static func normalized(_ decibels: Double) -> Double { (decibels - silence) / -silence }

    static func decibels(_ amplitude: Double) -> Double {
        guard amplitude > 0 else { return silence }
        return min(0, max(silence, 20 * log10(amplitude)))
    }
}

/// Computes levels of incoming samples: one reading for every tenth of a second.
struct LevelMeter {
    private let channelCount: Int
    private let window: Int
    private var squares: [Double]
    private var peaks: [Float]
    private var frames = 0

    init(sampleRate: Int, channelCount: Int) {
        self.channelCount = channelCount
        window = max(1, sampleRate / 10)
        squares = Array(repeating: 0, count: channelCount)
        peaks = Array(repeating: 0, count: channelCount)
    }

    /// `report` is called for each complete window.
    mutating func add(_ samples: UnsafeBufferPointer<Float>, report: ([ChannelLevel]) -> Void) {
        var index = 0
        while index + channelCount <= samples.count {
            for channel in 0..<channelCount {
                let sample = samples[index + channel]
                squares[channel] += Double(sample) * Double(sample)
                peaks[channel] = max(peaks[channel], abs(sample))
            }
            index += channelCount
            frames += 1
            guard frames == window else { continue }
            report(
                (0..<channelCount).map { channel in
                    ChannelLevel(
                        average: ChannelLevel.decibels((squares[channel] / Double(window)).squareRoot()),
                        peak: ChannelLevel.decibels(Double(peaks[channel])))
                })
            reset()
        }
    }

    mutating func reset() {
        for channel in 0..<channelCount {
            squares[channel] = 0
            peaks[channel] = 0
        }
        frames = 0
    }
}
