// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// A second-order filter, normalised (a0 = 1): y = b0 x + b1 x' + b2 x'' - a1 y' - a2 y''.
///
/// Designs from R. Bristow-Johnson, "Cookbook formulae for audio EQ biquad filter coefficients". The bilinear transform warps
/// them near half the sample rate; `magnitude` is the response of the digital filter, not of the analog prototype.
public struct BiquadCoefficients: BitwiseCopyable, Hashable, Sendable {
    public enum Shape: String, BitwiseCopyable, Codable, CaseIterable, Sendable {
        case peak
        case lowShelf = "lowshelf"
        case highShelf = "highshelf"
        case lowPass = "lowpass"
        case highPass = "highpass"
        case notch
    }

    public var b0 = 1.0
    public var b1 = 0.0
    public var b2 = 0.0
    public var a1 = 0.0
    public var a2 = 0.0

    public static let identity = BiquadCoefficients()

    public init() {}

    /// A gain.
    public init(factor: Double) { b0 = factor }

    public init(b0: Double, b1: Double, b2: Double, a1: Double, a2: Double) {
        (self.b0, self.b1, self.b2, self.a1, self.a2) = (b0, b1, b2, a1, a2)
    }

    /// `frequency` is in Hz, `gain` in dB (peaks and shelves only). A filter that would act only above half the sample rate is
    /// the identity. A filter whose corner is up there but that acts below gets a corner just under half the sample rate.
    public init(_ shape: Shape, frequency: Double, gain: Double, q: Double, sampleRate: Double) {
        let highest = 0.495 * sampleRate
        let isIdle =
            switch shape {
            case .peak, .highShelf: gain == 0 || frequency >= highest
            case .lowShelf: gain == 0
            case .lowPass, .notch: frequency >= highest
            case .highPass: false
            }
        self.init()
        if isIdle { return }
        let angle = 2 * Double.pi * min(frequency, highest) / sampleRate
        let (sine, cosine) = (sin(angle), cos(angle))
        let alpha = sine / (2 * q)
        switch shape {
        case .peak:
            let a = pow(10, gain / 40)
            self.init([1 + alpha * a, -2 * cosine, 1 - alpha * a], [1 + alpha / a, -2 * cosine, 1 - alpha / a])
        case .lowShelf, .highShelf:
            let a = pow(10, gain / 40)
            let slope = 2 * a.squareRoot() * alpha
            // A high shelf is the mirror image of a low one.
            let side = shape == .lowShelf ? 1.0 : -1
            let (less, more) = (side * (a - 1) * cosine, side * (a + 1) * cosine)
            self.init(
                [a * (a + 1 - less + slope), side * 2 * a * (a - 1 - more), a * (a + 1 - less - slope)],
                [a + 1 + less + slope, side * -2 * (a - 1 + more), a + 1 + less - slope])
        case .lowPass:
            self.init(
                [(1 - cosine) / 2, 1 - cosine, (1 - cosine) / 2], [1 + alpha, -2 * cosine, 1 - alpha])
        case .highPass:
            self.init(
                [(1 + cosine) / 2, -(1 + cosine), (1 + cosine) / 2], [1 + alpha, -2 * cosine, 1 - alpha])
        case .notch:
            self.init([1, -2 * cosine, 1], [1 + alpha, -2 * cosine, 1 - alpha])
        }
    }

    private init(_ b: InlineArray<3, Double>, _ a: InlineArray<3, Double>) {
        self.init(b0: b[0] / a[0], b1: b[1] / a[0], b2: b[2] / a[0], a1: a[1] / a[0], a2: a[2] / a[0])
    }

    /// The filter's linear gain for a sine of `frequency` Hz. Subtracts nearly equal numbers only where the response is small,
    /// so that it is exact at low frequencies too.
    public func magnitude(at frequency: Double, sampleRate: Double) -> Double {
        let half = sin(Double.pi * frequency / sampleRate)
        let x = half * half
        func power(_ c0: Double, _ c1: Double, _ c2: Double) -> Double {
            let sum = c0 + c1 + c2
            return sum * sum - 4 * (c0 * c1 + 4 * c0 * c2 + c1 * c2) * x + 16 * c0 * c2 * x * x
        }
        return (max(0, power(b0, b1, b2)) / power(1, a1, a2)).squareRoot()
    }
}
