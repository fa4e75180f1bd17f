// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// Reduces loud passages and raises the rest: one gain for all channels, from the signal's power, with a soft knee.
///
/// The gain is computed once per quantum and is linear within it. Real-time safe; a value, including its state.
public struct Compressor: BitwiseCopyable, Sendable {
    /// Levels in dB of mean power, times in seconds.
    public struct Curve: BitwiseCopyable, Hashable, Sendable {
        public var threshold: Double
        public var ratio: Double
        public var knee: Double
        public var makeUp: Double
        public var attack: Double
        public var release: Double

        public init(
            threshold: Double, ratio: Double, knee: Double, makeUp: Double, attack: Double, release: Double
        ) {
            self.threshold = threshold
            self.ratio = ratio
            self.knee = knee
            self.makeUp = makeUp
            self.attack = attack
            self.release = release
        }

        /// The gain in dB for a signal of `level` dB, without the make-up.
        @_noLocks @_noAllocation
        public func reduction(at level: Double) -> Double {
            let (over, slope) = (level - threshold, 1 / ratio - 1)
            if 2 * over <= -knee { return 0 }
            if 2 * over >= knee { return slope * over }
            let part = over + knee / 2
            return slope * part * part / (2 * knee)
        }
    }

    private let curve: Curve?
    private let rise: Double
    private let fall: Double
    private let averaging: Double
    private var power = 0.0
    private var reduction = 0.0
    private var gain: Float = 1

    /// Without a curve, the signal passes unchanged. `quantum`: frames per call.
    public init(_ curve: Curve?, sampleRate: Int, quantum: Int) {
        func part(_ seconds: Double) -> Double { 1 - exp(-Double(quantum) / (Double(sampleRate) * seconds)) }
        self.curve = curve
        fall = part(curve?.attack ?? 1)
        rise = part(curve?.release ?? 1)
        averaging = part(0.01)
        gain = Float(amplitude(decibels: curve?.makeUp ?? 0))
    }

    public var isNeutral: Bool {
        @_noLocks @_noAllocation get { curve == nil }
    }

    @_noLocks @_noAllocation
    public mutating func process(_ samples: UnsafeMutablePointer<Float>, frames: Int, channels: Int) {
        guard let curve, frames > 0 else { return }
        var loudest = 0.0
        for channel in 0..<channels {
            var sum: Float = 0
            var position = channel
            for _ in 0..<frames {
                sum += samples[position] * samples[position]
                position += channels
            }
            loudest = max(loudest, Double(sum) / Double(frames))
        }
        // Above any real power, but the following quanta can recover from it.
        loudest = min(loudest, 1e20)
        power += averaging * (loudest - power)
        let wanted = curve.reduction(at: decibels(power: power + 1e-16))
        reduction += (wanted < reduction ? fall : rise) * (wanted - reduction)
        let next = Float(amplitude(decibels: reduction + curve.makeUp))
        let step = (next - gain) / Float(frames)
        var position = 0
        for frame in 1...frames {
            let factor = gain + step * Float(frame)
            for _ in 0..<channels {
                samples[position] *= factor
                position += 1
            }
        }
        gain = next
    }
}
