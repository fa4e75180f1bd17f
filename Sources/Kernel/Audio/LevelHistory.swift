// SPDX-License-Identifier: Apache-2.0

internal import Kernel

/// Peaks, mean and loudness of the last 3 s of sound, in blocks of 5 ms. Not for real-time threads, as it uses arrays.
///
/// A class, because its filters are too large to copy with each reading.
public final class LevelHistory {
    /// In dB below full scale, `silence` at least.
    public struct Channel: Hashable, Sendable {
        /// Root mean square: 3 dB below the peak of a sine.
        public var average: Double
        public var peak: Double
        /// Includes the waveform between the samples.
        public var truePeak: Double
    }

    public static let silence = -160.0
    /// The window of the short-term loudness in EBU Tech 3341.
    private static let seconds = 3.0

    /// Frames per block, and per call of `add`.
    public let block: Int
    private let channels: Int
    private let sampleRate: Double
    private let capacity: Int
    private var count = 0
    private var next = 0
    private var loudness: LoudnessMeter
    private var truePeak: TruePeakMeter
    /// All channels of a block, block after block.
    private var peaks: [Float]
    private var truePeaks: [Float]
    private var squares: [Double]
    private var energies: [Double]

    public init(format: AudioFormat) {
        // `TruePeakMeter` needs a multiple of 8 frames.
        block = max(8, format.sampleRate / 200 / 8 * 8)
        channels = format.channelCount
        sampleRate = Double(format.sampleRate)
        capacity = max(1, Int(clamping: Self.seconds) * format.sampleRate / block)
        loudness = LoudnessMeter(format: format)
        truePeak = TruePeakMeter(format: format)
        peaks = Array(repeating: 0, count: capacity * channels)
        truePeaks = peaks
        squares = Array(repeating: 0, count: capacity * channels)
        energies = Array(repeating: 0, count: capacity)
    }

    /// Adds one block of interleaved, finite samples.
    public func add(_ samples: UnsafePointer<Float>) {
        let first = next * channels
        for channel in 0..<channels {
            var (peak, sum) = (Float(0), 0.0)
            var position = channel
            for _ in 0..<block {
                let sample = samples[position]
                peak = max(peak, abs(sample))
                sum += Double(sample) * Double(sample)
                position += channels
            }
            peaks[first + channel] = peak
            squares[first + channel] = sum
        }
        let block = block
        truePeaks.withUnsafeMutableBufferPointer { peaks in
            guard let peaks = peaks.baseAddress else { return }
            truePeak.measure(samples, frames: block, into: peaks + first)
        }
        energies[next] = loudness.energy(of: samples, frames: block)
        next = (next + 1) % capacity
        count = min(count + 1, capacity)
    }

    /// The levels of the last `seconds`, rounded up to whole blocks; silence if nothing was added.
    public func levels(ofLast seconds: Double) -> [Channel] {
        let number = min(count, max(1, Int(clamping: (seconds * sampleRate / Double(block)).rounded(.up))))
        let blocks = (0..<number).map { (next + 2 * capacity - 1 - $0) % capacity }
        return (0..<channels).map { channel in
            var (peak, truePeak, sum) = (Float(0), Float(0), 0.0)
            for block in blocks {
                let position = block * channels + channel
                peak = max(peak, peaks[position])
                truePeak = max(truePeak, truePeaks[position])
                sum += squares[position]
            }
            return Channel(
                average: Self.bounded(power: sum / Double(max(1, blocks.count * block))),
                peak: Self.bounded(power: Double(peak) * Double(peak)),
                // The samples themselves are a lower bound.
                truePeak: Self.bounded(power: Double(max(peak, truePeak)) * Double(max(peak, truePeak))))
        }
    }

    /// LUFS of the last 3 s, or of all blocks if there are fewer.
    public var shortTermLoudness: Double {
        // Blocks that were not added yet have no energy.
        LoudnessMeter.loudness(energy: energies.reduce(0, +), frames: count * block)
    }

    static func bounded(power: Double) -> Double {
        power > 0 ? min(-silence, max(silence, decibels(power: power))) : silence
    }
}
