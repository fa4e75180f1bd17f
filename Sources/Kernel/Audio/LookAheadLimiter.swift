// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// Keeps the true peak under a ceiling by reducing the gain shortly before a peak: one gain for all channels.
///
/// The output is two quanta late. The gain is computed for groups of 8 frames: the gain that the highest peak of the last 25 ms
/// requires, so that it does not follow single cycles; the minimum of the groups around and ahead; an exponential release to
/// 1; the mean of 8 such values; linear interpolation between groups. At rest the gain is exactly 1 and the samples are not
/// changed. Real-time safe; a value, including its state.
public struct LookAheadLimiter: BitwiseCopyable, Sendable {
    /// Frames per call.
    public static var quantum: Int { @_noLocks @_noAllocation get { 64 } }
    private static var groups: Int { @_noLocks @_noAllocation get { 8 } }
    private static var group: Int { @_noLocks @_noAllocation get { 8 } }
    private static var releaseSeconds: Double { @_noLocks @_noAllocation get { 0.15 } }
    /// Peaks are held for 1/40 s, half a period of the lowest audible frequency.
    private static var holds: Int { @_noLocks @_noAllocation get { 40 } }

    private let channels: Int
    private let interpolator: TruePeakInterpolator
    /// Part of the distance to 1 that each group recovers.
    private let release: Float
    /// The last two quanta of input, interleaved, the older one first.
    private var delayed = InlineArray<1024, Float>(repeating: 0)
    /// The required gains of the groups, from the quantum before the outgoing one to the incoming one.
    private var targets = InlineArray<32, Float>(repeating: 1)
    /// The last 8 gains before the mean.
    private var released = InlineArray<8, Float>(repeating: 1)
    /// The gain of the last frame.
    public private(set) var gain: Float = 1
    private var lastPeak: Float = 0
    /// The highest peak of the last 25 ms or slightly more: of four stretches and the current one.
    private var heldPeak: Float = 0
    private var earlierPeaks = SIMD4<Float>(repeating: 0)
    private var stretchPeak: Float = 0
    /// Quanta per stretch, and in the current one.
    private let stretch: Int
    private var stretched = 0
    /// Successive quanta that required no reduction.
    private var quiet = 4
    /// The gain is 1, and no received sample will change it.
    public private(set) var isIdle = true

    /// Infinite: no limit.
    private var ceiling: Float
    private var goal: Float
    /// The ceiling's factor per quantum of a move, which is linear in dB.
    private var step: Float = 1
    /// Quanta until the ceiling reaches its goal.
    private var moving = 0

    /// `ceiling` is linear; infinite for no limit.
    public init(format: AudioFormat, ceiling: Float) {
        channels = format.channelCount
        interpolator = TruePeakInterpolator(sampleRate: format.sampleRate)
        release = Float(1 - exp(-Double(Self.group) / (Double(format.sampleRate) * Self.releaseSeconds)))
        let steps = 4 * Self.quantum * Self.holds
        stretch = (format.sampleRate + steps - 1) / steps
        self.ceiling = ceiling
        goal = ceiling
    }

    /// Whether a ceiling is set, or is still moving to "none".
    public var isLimiting: Bool {
        @_noLocks @_noAllocation get { ceiling < .infinity || goal < .infinity }
    }

    /// Moves the ceiling over `quanta` calls. A move from or to "none" begins or ends at full scale. A move down begins just above
    /// the signal's true peak: otherwise a quiet signal would be reduced within the last few calls.
    @_noLocks @_noAllocation
    public mutating func move(to ceiling: Float, quanta: Int) {
        guard ceiling != goal else { return }
        goal = ceiling
        self.ceiling = min(self.ceiling, 1)
        if goal < self.ceiling { self.ceiling = min(self.ceiling, max(goal, heldPeak * interpolator.overshoot)) }
        moving = max(1, quanta)
        let ratio = Double(min(goal, 1) / self.ceiling)
        step = Float(amplitude(decibels: decibels(power: ratio * ratio) / Double(moving)))
    }

    /// Provides the interleaved frames before the first quantum.
    @_noLocks @_noAllocation
    public mutating func warm(_ samples: UnsafePointer<Float>, frames: Int) {
        for index in 0..<frames * channels { hold(samples[index].magnitude) }
    }

    /// Takes one quantum and returns the one of two calls before. Both may be the same memory.
    /// `isGuarding`: do not exceed full scale, even without a ceiling.
    @_noLocks @_noAllocation
    public mutating func process(
        _ samples: UnsafePointer<Float>, into output: UnsafeMutablePointer<Float>, isGuarding: Bool
    ) {
        if moving > 0 {
            moving -= 1
            ceiling = moving == 0 ? goal : ceiling * step
        }
        let limit = isGuarding ? min(ceiling, 1) : ceiling
        for index in 0..<3 * Self.groups { targets[unchecked: index] = targets[unchecked: index + Self.groups] }
        forget()
        let peak = Self.largest(samples, channels: channels)
        let isNear = limit < .infinity && max(peak, lastPeak) * interpolator.overshoot > limit
        // Slightly lower, because of rounding.
        let target = limit * 0.999_999
        if isNear || heldPeak > target {
            let peaks = isNear ? measure(samples) : SIMD8(repeating: 0)
            for group in 0..<Self.groups {
                hold(peaks[group])
                targets[unchecked: 3 * Self.groups + group] = heldPeak > target ? target / heldPeak : 1
            }
        } else {
            for index in 3 * Self.groups..<4 * Self.groups { targets[unchecked: index] = 1 }
        }
        quiet = heldPeak > target ? 0 : quiet + 1
        hold(peak)
        lastPeak = peak
        exchange(samples, output)
        guard !isIdle || quiet < 4 else { return }
        turnDown(output)
        isIdle = quiet >= 4 && gain == 1
        for index in 0..<8 where released[index] != 1 { isIdle = false }
    }

    @_noLocks @_noAllocation
    private mutating func hold(_ peak: Float) {
        stretchPeak = max(stretchPeak, peak)
        heldPeak = max(heldPeak, peak)
    }

    @_noLocks @_noAllocation
    private mutating func forget() {
        stretched += 1
        guard stretched > stretch else { return }
        stretched = 1
        earlierPeaks = SIMD4(earlierPeaks.y, earlierPeaks.z, earlierPeaks.w, stretchPeak)
        stretchPeak = 0
        heldPeak = earlierPeaks.max()
    }

    @_noLocks @_noAllocation
    private static func largest(_ samples: UnsafePointer<Float>, channels: Int) -> Float {
        let raw = UnsafeRawPointer(samples)
        var peak = SIMD8<Float>(repeating: 0)
        // 64 frames of any number of channels are a multiple of 8 samples.
        for index in 0..<channels * 8 {
            let values = (raw + index * 32).loadUnaligned(as: SIMD8<Float>.self)
            peak.replace(with: values, where: values .> peak)
            peak.replace(with: -values, where: -values .> peak)
        }
        return peak.max()
    }

    /// The true peaks of the incoming quantum's groups.
    @_noLocks @_noAllocation
    private mutating func measure(_ samples: UnsafePointer<Float>) -> SIMD8<Float> {
        let history = TruePeakInterpolator.history
        var line = TruePeakInterpolator.Line(repeating: 0)
        var peaks = SIMD8<Float>(repeating: 0)
        for channel in 0..<channels {
            for index in 0..<history {
                line[unchecked: index] = delayed[unchecked: (2 * Self.quantum - history + index) * channels + channel]
            }
            for index in 0..<Self.quantum {
                line[unchecked: history + index] = samples[index * channels + channel]
            }
            interpolator.measure(&line, groups: Self.groups, into: &peaks)
        }
        return peaks
    }

    /// Outputs the oldest quantum and stores the new one.
    @_noLocks @_noAllocation
    private mutating func exchange(_ samples: UnsafePointer<Float>, _ output: UnsafeMutablePointer<Float>) {
        let count = Self.quantum * channels
        withUnsafeMutableBytes(of: &delayed) { bytes in
            guard let oldest = bytes.baseAddress?.assumingMemoryBound(to: Float.self) else { return }
            // `samples` and `output` may be the same memory.
            for index in 0..<count {
                let sample = samples[index]
                output[index] = oldest[index]
                oldest[index] = oldest[count + index]
                oldest[count + index] = sample
            }
        }
    }

    /// Applies the gain to the outgoing quantum. The gain at the end of a group is the mean of the last 8 values; each value
    /// covers the 3 groups before it and 10 after it. Hence both ends of each line over a peak, or over the frames that the
    /// interpolator reads around it, are low enough.
    @_noLocks @_noAllocation
    private mutating func turnDown(_ output: UnsafeMutablePointer<Float>) {
        var position = 0
        for group in 0..<Self.groups {
            var least: Float = 1
            for index in group + 6..<group + 20 { least = min(least, targets[unchecked: index]) }
            var value = released[7] + (1 - released[7]) * release
            if value > 0.9999 { value = 1 }
            var sum: Float = 0
            for index in 0..<7 {
                released[unchecked: index] = released[unchecked: index + 1]
                sum += released[unchecked: index]
            }
            released[7] = min(value, least)
            let next = (sum + released[7]) / 8
            if gain == 1, next == 1 {
                position += Self.group * channels
                continue
            }
            let step = (next - gain) / Float(Self.group)
            for frame in 1...Self.group {
                let factor = gain + step * Float(frame)
                for _ in 0..<channels {
                    output[position] *= factor
                    position += 1
                }
            }
            gain = next
        }
    }
}
