// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// Keeps the true peak under a ceiling by turning down just before what exceeds it: one gain for all channels.
///
/// Frames come out two quanta after they went in. The gain is found for groups of 8 frames: what the highest peak of the last
/// 25 ms asks for, so that it does not follow single cycles; the least of the groups around and ahead; from there an
/// exponential way back to 1; the mean of 8 such values; a straight line from group to group. At rest the gain is exactly 1
/// and the samples are not touched. Real-time safe; a value, state included.
public struct LookAheadLimiter: BitwiseCopyable, Sendable {
    /// Frames a call.
    public static var quantum: Int { @_noLocks @_noAllocation get { 64 } }
    private static var groups: Int { @_noLocks @_noAllocation get { 8 } }
    private static var group: Int { @_noLocks @_noAllocation get { 8 } }
    private static var releaseSeconds: Double { @_noLocks @_noAllocation get { 0.15 } }
    /// How often a peak is forgotten, in a second: with each half period of the lowest audible frequency.
    private static var holds: Int { @_noLocks @_noAllocation get { 40 } }

    private let channels: Int
    private let interpolator: TruePeakInterpolator
    /// Of the distance to 1, each group.
    private let release: Float
    /// The two quanta before the one that comes in, interleaved, the older one first.
    private var delayed = InlineArray<1024, Float>(repeating: 0)
    /// The groups' wishes, from the quantum before the one that goes out to the one that comes in.
    private var targets = InlineArray<32, Float>(repeating: 1)
    /// The last ones before the mean.
    private var released = InlineArray<8, Float>(repeating: 1)
    /// Where the next frame's straight line begins.
    public private(set) var gain: Float = 1
    private var lastPeak: Float = 0
    /// The highest of the last 25 ms or a little more: of four stretches, and of the one that goes on.
    private var heldPeak: Float = 0
    private var earlierPeaks = SIMD4<Float>(repeating: 0)
    private var stretchPeak: Float = 0
    /// Quanta of a stretch, and of the one that goes on.
    private let stretch: Int
    private var stretched = 0
    /// Quanta in a row without a wish.
    private var quiet = 4
    /// The gain is 1 and nothing that came in will change it.
    public private(set) var isIdle = true

    /// Infinite: nothing is limited.
    private var ceiling: Float
    private var goal: Float
    /// Its factor in each quantum of a move: a straight way in dB.
    private var step: Float = 1
    /// Quanta until the ceiling is where it shall be.
    private var moving = 0

    /// `ceiling`: linear; infinite where nothing is to be limited.
    public init(format: AudioFormat, ceiling: Float) {
        channels = format.channelCount
        interpolator = TruePeakInterpolator(sampleRate: format.sampleRate)
        release = Float(1 - exp(-Double(Self.group) / (Double(format.sampleRate) * Self.releaseSeconds)))
        let steps = 4 * Self.quantum * Self.holds
        stretch = (format.sampleRate + steps - 1) / steps
        self.ceiling = ceiling
        goal = ceiling
    }

    /// Whether a ceiling is set, or was until a moment ago.
    public var isLimiting: Bool {
        @_noLocks @_noAllocation get { ceiling < .infinity || goal < .infinity }
    }

    /// Moves the ceiling over so many calls. From and to "none" it begins and ends at full scale; on its way down it begins
    /// just above the signal's true peak, or a quiet one would be turned down within the last of the calls.
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

    /// Shows it what lay before its first quantum, interleaved.
    @_noLocks @_noAllocation
    public mutating func warm(_ samples: UnsafePointer<Float>, frames: Int) {
        for index in 0..<frames * channels { hold(samples[index].magnitude) }
    }

    /// Takes one quantum and gives out the one that came in two calls before. Both may be the same memory.
    /// `isGuarding`: full scale is not to be exceeded, even without a ceiling.
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
        // A hair under it, for what rounding adds.
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

    /// The true peaks of the quantum that comes in, group by group.
    @_noLocks @_noAllocation
    private mutating func measure(_ samples: UnsafePointer<Float>) -> SIMD8<Float> {
        let history = TruePeakInterpolator.history
        var line = InlineArray<88, Float>(repeating: 0)
        var peaks = SIMD8<Float>(repeating: 0)
        for channel in 0..<channels {
            for index in 0..<history {
                line[unchecked: index] = delayed[unchecked: (2 * Self.quantum - history + index) * channels + channel]
            }
            for index in 0..<Self.quantum {
                line[unchecked: history + index] = samples[index * channels + channel]
            }
            withUnsafeMutableBytes(of: &line) { line in
                withUnsafeMutableBytes(of: &peaks) { peaks in
                    guard let line = line.baseAddress?.assumingMemoryBound(to: Float.self),
                        let peaks = peaks.baseAddress?.assumingMemoryBound(to: Float.self)
                    else { return }
                    interpolator.measure(line + history, groups: Self.groups, into: peaks)
                }
            }
        }
        return peaks
    }

    /// The oldest quantum out, the new one in.
    @_noLocks @_noAllocation
    private mutating func exchange(_ samples: UnsafePointer<Float>, _ output: UnsafeMutablePointer<Float>) {
        let count = Self.quantum * channels
        withUnsafeMutableBytes(of: &delayed) { bytes in
            guard let oldest = bytes.baseAddress?.assumingMemoryBound(to: Float.self) else { return }
            // `samples` and `output` may be the same: the way leads over the place that becomes free.
            var leaving = InlineArray<512, Float>(repeating: 0)
            withUnsafeMutableBytes(of: &leaving) { bytes in
                guard let leaving = bytes.baseAddress?.assumingMemoryBound(to: Float.self) else { return }
                copySamples(oldest, to: leaving, count: count)
                copySamples(oldest + count, to: oldest, count: count)
                copySamples(samples, to: oldest + count, count: count)
                copySamples(leaving, to: output, count: count)
            }
        }
    }

    /// Multiplies the quantum that goes out. The line to group b's end is the mean of 8 values up to there, each of which
    /// covers the 3 groups before and 10 after it: so both ends of each line that touches a peak, or the frames that the
    /// interpolator takes around it, are low enough.
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
