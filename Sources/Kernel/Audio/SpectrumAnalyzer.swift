// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import Kernel

/// The power of about 85 ms of sound in bands of equal ratio from 20 Hz to 20 kHz: a full-scale sine reads 0 dB in its band.
/// Not for real-time threads.
///
/// A Fourier transform with a Hann window. A low band that is narrower than two of its lines is read at its centre instead: a
/// sine is largest in its own band there as well, but its neighbours see it too.
public struct SpectrumAnalyzer: Sendable {
    public static let lowest = 20.0
    public static let highest = 20_000.0

    /// Frames that `bands` takes.
    public let size: Int
    private let sampleRate: Double
    private let channels: Int
    private let window: [Double]
    /// Of the angles 2πk/size.
    private let cosines: [Double]
    private let sines: [Double]
    /// The even channels as real part, the odd ones as imaginary part.
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

    /// The lower edge of a band in Hz; that of the band behind the last one is `highest`.
    public static func edge(_ band: Int, of count: Int) -> Double {
        lowest * pow(highest / lowest, Double(band) / Double(count))
    }

    /// dB of each band, from low to high, of `size` interleaved, finite frames; the channels' mean.
    public mutating func bands(_ count: Int, of samples: UnsafePointer<Float>) -> [Double] {
        load(samples)
        let line = sampleRate / Double(size)
        // Before the transform takes the windowed frames' place.
        let narrow = (0..<count).map { band -> Double? in
            let (low, high) = (Self.edge(band, of: count), Self.edge(band + 1, of: count))
            let centre = (low * high).squareRoot()
            guard high - low < 2 * line, centre < sampleRate / 2 else { return nil }
            return power(at: centre)
        }
        transform()
        // A sine of amplitude 1 has lines of size/4 at most, and 1.5 times that power in all. Two buses are twice one.
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
        // More than two channels share the two buses, each at its part.
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

    /// Of both buses together, at any frequency.
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

    /// In place, radix 2.
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
