// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import Kernel

/// The power of about 85 ms of sound in logarithmic bands from 20 Hz to 20 kHz: a full-scale sine gives 0 dB in its band.
/// Not for real-time threads.
///
/// A Fourier transform with a Hann window. A low band narrower than two lines is measured at its centre instead. A sine is still
/// largest in its own band there, but also appears in the neighbours.
public struct SpectrumAnalyzer: Sendable {
    public static let lowest = 20.0
    public static let highest = 20_000.0

    /// Frames per call of `bands`.
    public let size: Int
    private let sampleRate: Double
    private let channels: Int
    private let window: [Double]
    /// Of the angles 2πk / `size`.
    private let cosines: [Double]
    private let sines: [Double]
    /// The real part holds the even channels, the imaginary part the odd ones.
    private var real: [Double]
    private var imaginary: [Double]

    public init(format: AudioFormat) {
        channels = format.channelCount
        sampleRate = Double(format.sampleRate)
        var size = 512
        while Double(size) < 0.07 * sampleRate { size *= 2 }
        self.size = size
        window = (0..<size).map { 0.5 - 0.5 * cos(2 * Double.pi * Double($0) / Double(size)) }
        cosines = (0..<size / 2).map { cos(2 * Double.pi * Double($0) / Double(size)) }
        sines = (0..<size / 2).map { sin(2 * Double.pi * Double($0) / Double(size)) }
        real = Array(repeating: 0, count: size)
        imaginary = real
    }

    /// The lower edge of a band in Hz; `edge(count, of: count)` is `highest`.
    public static func edge(_ band: Int, of count: Int) -> Double {
        lowest * pow(highest / lowest, Double(band) / Double(count))
    }

    /// The level of each band in dB, from low to high: the channels' mean over `size` interleaved, finite frames.
    public mutating func bands(_ count: Int, of samples: UnsafePointer<Float>) -> [Double] {
        load(samples)
        let line = sampleRate / Double(size)
        // Before the transform overwrites the windowed frames.
        let narrow = (0..<count).map { band -> Double? in
            let (low, high) = (Self.edge(band, of: count), Self.edge(band + 1, of: count))
            let centre = (low * high).squareRoot()
            guard high - low < 2 * line, centre < sampleRate / 2 else { return nil }
            return power(at: centre)
        }
        transform()
        // A sine of amplitude 1 has lines of at most size / 4, and 1.5 times that power in total. Two buses have twice the power.
        let scale = 16 / (Double(size) * Double(size)) / (channels > 1 ? 2 : 1)
        return (0..<count).map { band in
            if let narrow = narrow[band] { return LevelHistory.bounded(power: narrow * scale) }
            let first = Int(clamping: (Self.edge(band, of: count) / line).rounded(.up))
            let end = min(size / 2, Int(clamping: (Self.edge(band + 1, of: count) / line).rounded(.up)))
            guard first < end else { return LevelHistory.silence }
            let sum = (first..<end).reduce(0.0) { sum, index in
                let mirror = size - index
                return sum + real[index] * real[index] + imaginary[index] * imaginary[index]
                    + real[mirror] * real[mirror] + imaginary[mirror] * imaginary[mirror]
            }
            return LevelHistory.bounded(power: sum / 2 / 1.5 * scale)
        }
    }

    private mutating func load(_ samples: UnsafePointer<Float>) {
        // More than two channels share the two buses equally.
        let part = channels > 2 ? 2 / Double(channels) : 1
        for frame in 0..<size {
            var (even, odd) = (0.0, 0.0)
            for channel in 0..<channels {
                let sample = Double(samples[frame * channels + channel])
                if channel % 2 == 0 { even += sample } else { odd += sample }
            }
            real[frame] = even * part * window[frame]
            imaginary[frame] = odd * part * window[frame]
        }
    }

    /// The power of both buses together at any frequency.
    private func power(at frequency: Double) -> Double {
        let angle = 2 * Double.pi * frequency / sampleRate
        let (stepCosine, stepSine) = (cos(angle), sin(angle))
        var (cosine, sine) = (1.0, 0.0)
        var sums = SIMD4<Double>()
        for frame in 0..<size {
            let (left, right) = (real[frame], imaginary[frame])
            sums += SIMD4(left * cosine, left * sine, right * cosine, right * sine)
            (cosine, sine) = (cosine * stepCosine - sine * stepSine, cosine * stepSine + sine * stepCosine)
        }
        return (sums * sums).sum()
    }

    /// In-place radix-2 Fourier transform.
    private mutating func transform() {
        var target = 0
        for index in 1..<size {
            var bit = size >> 1
            while target & bit != 0 {
                target ^= bit
                bit >>= 1
            }
            target |= bit
            if index < target {
                real.swapAt(index, target)
                imaginary.swapAt(index, target)
            }
        }
        var length = 2
        while length <= size {
            let (half, stride) = (length / 2, size / length)
            for start in Swift.stride(from: 0, to: size, by: length) {
                for offset in 0..<half {
                    let (cosine, sine) = (cosines[offset * stride], sines[offset * stride])
                    let (low, high) = (start + offset, start + offset + half)
                    let turnedReal = real[high] * cosine + imaginary[high] * sine
                    let turnedImaginary = imaginary[high] * cosine - real[high] * sine
                    (real[high], imaginary[high]) = (real[low] - turnedReal, imaginary[low] - turnedImaginary)
                    (real[low], imaginary[low]) = (real[low] + turnedReal, imaginary[low] + turnedImaginary)
                }
            }
            length *= 2
        }
    }
}
