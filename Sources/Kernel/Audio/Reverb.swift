// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// A feedback delay network of eight lines: a value of less than 64 KB, including its state, so that rendering can resume from
/// a copy. Real-time safe; used at a fixed address only, because it is large for the stack.
///
/// The Householder matrix keeps the energy. Each line's gain depends on its length, so that the whole decays to -60 dB after
/// `decay`. High frequencies decay sooner, as in a room. Above 48 kHz the network runs once for several frames: it takes their
/// mean, and its output is interpolated linearly.
public struct Reverb: BitwiseCopyable, Sendable {
    public struct Parameters: BitwiseCopyable, Hashable, Sendable {
        /// The reverberation's part of the output, 0...1; 0 is bit-exact.
        public var mix: Float
        /// Seconds to -60 dB.
        public var decay: Double

        @_noLocks @_noAllocation
        public init(mix: Float, decay: Double) {
            self.mix = mix
            self.decay = decay
        }

        public static var off: Parameters {
            @_noLocks @_noAllocation get { Parameters(mix: 0, decay: 1) }
        }
    }

    /// Frames in all lines together.
    private static var capacity: Int { @_noLocks @_noAllocation get { 15_872 } }
    private static var lineCount: Int { @_noLocks @_noAllocation get { 8 } }
    /// Multiplied by `sqrt(1 - g^2)` of the lines' mean gain, this gives a steady sound and its reverberation about the same level.
    private static var wetGain: Float { @_noLocks @_noAllocation get { 0.63 } }
    /// The coefficient of each line's low-pass filter.
    private static var damping: Float { @_noLocks @_noAllocation get { 0.7 } }

    private struct Line: BitwiseCopyable {
        var start = 0
        var length = 1
        var place = 0
        var low: Float = 0
        var gain: Float = 0
        var wantedGain: Float = 0
        /// The gain's change per frame of a glide.
        var step: Float = 0
    }

    private var memory = InlineArray<15_872, Float>(repeating: 0)
    private var lines = InlineArray<8, Line>(repeating: Line())
    /// Frames per run of the network.
    private let stride: Int
    /// Runs of the network per second.
    private let rate: Double
    /// Frames over which parameters change.
    private let glideLength: Int
    private var mix: Float = 0
    private var wantedMix: Float = 0
    private var wet: Float = 0
    private var wantedWet: Float = 0
    /// Frames until the wanted parameters are reached.
    private var left = 0
    /// The input's fade-in, 0...1: a sudden beginning would click in each line.
    private var feed: Float = 1
    /// The number of frames that the network has not taken yet, and their sum.
    private var gathered = 0
    private var sum: Float = 0
    /// The last two outputs of the network, left and right.
    private var last = SIMD2<Float>.zero
    private var before = SIMD2<Float>.zero

    /// Begins without reverberation.
    public init(sampleRate: Int) {
        stride = max(1, (sampleRate + 47_999) / 48_000)
        rate = Double(sampleRate) / Double(stride)
        glideLength = sampleRate / 25
        // Prime numbers of frames at 48 kHz.
        let lengths: InlineArray<8, Int> = [1_151, 1_327, 1_553, 1_777, 2_029, 2_281, 2_543, 2_903]
        var start = 0
        for index in 0..<Self.lineCount {
            lines[index].start = start
            lines[index].length = max(16, lengths[index] * sampleRate / (48_000 * stride))
            start += lines[index].length
        }
    }

    /// Samples pass unchanged until the next `move`.
    public var isSilent: Bool {
        @_noLocks @_noAllocation get { mix == 0 && wantedMix == 0 }
    }

    /// Changes the parameters within 40 ms, or at once (`now`) at the beginning of a run.
    @_noLocks @_noAllocation
    public mutating func move(to parameters: Parameters, now: Bool) {
        wantedMix = parameters.mix
        // A reverberation that fades out keeps its decay.
        let decays = parameters.mix > 0 || mix == 0
        var energy: Float = 0
        for index in 0..<Self.lineCount {
            let seconds = Double(lines[index].length) / rate
            if decays { lines[index].wantedGain = Float(amplitude(decibels: -60 * seconds / parameters.decay)) }
            if now || mix == 0 { lines[index].gain = lines[index].wantedGain }
            lines[index].step = 0
            energy += lines[index].wantedGain * lines[index].wantedGain
        }
        let loss = 1 - Double(energy) / Double(Self.lineCount)
        wantedWet = Self.wetGain * Float(amplitude(decibels: decibels(power: loss)))
        if now || mix == 0 { (wet, feed) = (wantedWet, now ? 1 : 0) }
        if now { mix = wantedMix }
        left = now ? 0 : glideLength
    }

    /// Begins again from silence with these parameters.
    @_noLocks @_noAllocation
    public mutating func restart(_ parameters: Parameters) {
        mix = 0
        clear()
        move(to: parameters, now: true)
    }

    /// Adds the reverberation to interleaved frames: its left side to even channels, its right side to odd ones.
    @_noLocks @_noAllocation
    public mutating func process(_ samples: UnsafeMutablePointer<Float>, frames: Int, channels: Int) {
        guard !isSilent else { return }
        let gliding = min(left, frames)
        if gliding > 0 { glide(samples, frames: gliding, channels: channels) }
        guard gliding < frames, !isSilent else { return }
        run(samples + gliding * channels, frames: frames - gliding, channels: channels, step: 0)
    }

    /// Processes frames within a glide.
    @_noLocks @_noAllocation
    private mutating func glide(_ samples: UnsafeMutablePointer<Float>, frames: Int, channels: Int) {
        for index in 0..<Self.lineCount {
            lines[index].step = (lines[index].wantedGain - lines[index].gain) * Float(stride) / Float(left)
        }
        run(samples, frames: frames, channels: channels, step: (wantedMix - mix) / Float(left))
        left -= frames
        guard left == 0 else { return }
        (mix, wet) = (wantedMix, wantedWet)
        for index in 0..<Self.lineCount {
            lines[index].gain = lines[index].wantedGain
            lines[index].step = 0
        }
        if mix == 0 { clear() }
    }

    @_noLocks @_noAllocation
    private mutating func run(
        _ samples: UnsafeMutablePointer<Float>, frames: Int, channels: Int, step: Float
    ) {
        var (mix, feed, wet) = (mix, feed, wet)
        var (lines, gathered, gatheredSum, last, before) = (lines, gathered, sum, last, before)
        let wetStep = left > 0 ? (wantedWet - wet) / Float(left) : 0
        let rise = 1 / Float(glideLength)
        let (stride, part) = (stride, 1 / Float(stride))
        let share = 1 / Float(channels)
        withUnsafeMutableBytes(of: &memory) { memory in
            withUnsafeMutableBytes(of: &lines) { lines in
                guard let memory = memory.baseAddress?.assumingMemoryBound(to: Float.self),
                    let lines = lines.baseAddress?.assumingMemoryBound(to: Line.self)
                else { return }
                for frame in 0..<frames {
                    let place = samples + frame * channels
                    var input: Float = 0
                    for channel in 0..<channels { input += place[channel] }
                    input *= share * feed.smoothStep
                    feed = min(1, feed + rise)
                    // A value that is not a sample would stay in the lines for ever.
                    if !(input.magnitude <= 65_536) { input = 0 }
                    gatheredSum += input
                    gathered += 1
                    if gathered == stride {
                        before = last
                        last = Self.advance(lines, memory, by: gatheredSum * part)
                        (gathered, gatheredSum) = (0, 0)
                    }
                    if step != 0 { mix = min(1, max(0, mix + step)) }
                    wet += wetStep
                    let sides = wet * (before + (last - before) * (Float(gathered + 1) * part))
                    for channel in 0..<channels { place[channel] += mix * (sides[channel & 1] - place[channel]) }
                }
            }
        }
        (self.mix, self.feed, self.wet) = (mix, feed, wet)
        (self.lines, self.gathered, sum, self.last, self.before) = (lines, gathered, gatheredSum, last, before)
    }

    /// Feeds one value into the lines and returns their output, left and right.
    @_noLocks @_noAllocation @inline(__always)
    private static func advance(
        _ lines: UnsafeMutablePointer<Line>, _ memory: UnsafeMutablePointer<Float>, by input: Float
    ) -> SIMD2<Float> {
        var (even, odd, sum) = (Float(0), Float(0), Float(0))
        for index in 0..<lineCount {
            let output = memory[lines[index].start + lines[index].place]
            if index & 1 == 0 { even += output } else { odd += output }
            lines[index].low += damping * (output - lines[index].low)
            sum += lines[index].low * lines[index].gain
        }
        sum *= 2 / Float(lineCount)
        for index in 0..<lineCount {
            let own = lines[index].low * lines[index].gain
            lines[index].gain += lines[index].step
            memory[lines[index].start + lines[index].place] = input + own - sum
            lines[index].place += 1
            if lines[index].place == lines[index].length { lines[index].place = 0 }
        }
        return SIMD2(even, odd)
    }

    @_noLocks @_noAllocation
    private mutating func clear() {
        (gathered, sum, last, before) = (0, 0, .zero, .zero)
        for index in 0..<Self.lineCount {
            lines[index].place = 0
            lines[index].low = 0
        }
        let capacity = Self.capacity
        withUnsafeMutableBytes(of: &memory) { bytes in
            guard let memory = bytes.baseAddress?.assumingMemoryBound(to: Float.self) else { return }
            for index in 0..<capacity { memory[index] = 0 }
        }
    }
}
