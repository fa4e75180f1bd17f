// SPDX-License-Identifier: Apache-2.0

internal import Audio

/// All effects before the volume, with their state: a value, copied by memcpy, so that frames that the sink has not
/// played can be rendered again from a copy. Real-time safe.
///
/// Takes quanta of 64 frames and returns the frames from two calls before; the caller reads ahead, so nothing is heard
/// later. Coefficients never change gradually: a parameter change runs the new filters beside the old ones and
/// crossfades. The owner decides when. Between two changes the output is a function of the input.
struct EffectChain: BitwiseCopyable, Sendable {
    /// Frames per call.
    static var quantum: Int { @_noLocks @_noAllocation get { LookAheadLimiter.quantum } }
    /// The delay in frames from input to output.
    static var lookAhead: Int { @_noLocks @_noAllocation get { 2 * quantum } }
    /// Seconds of past input with which new filters start.
    static var warmingSeconds: Double { @_noLocks @_noAllocation get { 0.25 } }

    /// The number of the parameters in force, or being faded to.
    private(set) var number: UInt64
    private let channels: Int
    private let sampleRate: Int
    private var isExtreme: Bool
    private var filters: EffectFilters
    /// The filters that are being faded to, while `fadeFrames` is not 0.
    private var coming: EffectFilters
    private var fadeFrames = 0
    private var faded = 0
    private var limiter: LookAheadLimiter
    /// Consecutive quanta that neutral filters passed, at most 2: the part of the content that is unchanged.
    private var untouched = 0

    /// For the start of a run: the parameters apply from the first frame on.
    @_noLocks @_noAllocation
    init(_ parameters: EffectParameters) {
        number = parameters.number
        channels = parameters.channels
        sampleRate = parameters.sampleRate
        isExtreme = parameters.isExtreme
        filters = parameters.filters
        coming = parameters.filters
        limiter = parameters.limiter
    }

    /// A crossfade between filters is in progress. No other change may begin.
    var isChanging: Bool {
        @_noLocks @_noAllocation get { fadeFrames > 0 }
    }

    /// The output from here on equals the input, bit by bit, as far as it has gone in.
    var isTransparent: Bool {
        @_noLocks @_noAllocation get {
            untouched == 2 && !isChanging && filters.isNeutral && limiter.isIdle && !limiter.isLimiting
        }
    }

    /// Starts a change with the next input quantum. Must not be called while `isChanging`.
    @_noLocks @_noAllocation
    mutating func beginChange(to parameters: EffectParameters) {
        let short = (sampleRate / 25 + Self.quantum - 1) / Self.quantum
        let quanta = isExtreme || parameters.isExtreme ? 2 * short : short
        number = parameters.number
        isExtreme = parameters.isExtreme
        // 24 dB within 80 ms: steps of -62 dB from frame to frame.
        limiter.move(to: parameters.ceiling, quanta: 2 * short)
        if filters.isNeutral, parameters.filters.isNeutral { return }
        coming = parameters.filters
        fadeFrames = quanta * Self.quantum
        faded = 0
    }

    /// Feeds the newest filters with the frames just before the next input quantum, oldest first.
    @_noLocks @_noAllocation
    mutating func warm(_ samples: UnsafePointer<Float>, frames: Int) {
        guard isChanging ? !coming.isNeutral : !filters.isNeutral else {
            if filters.isNeutral { limiter.warm(samples, frames: frames) }
            return
        }
        var work = InlineArray<512, Float>(repeating: 0)
        withUnsafeMutableBytes(of: &work) { bytes in
            guard let work = bytes.baseAddress?.assumingMemoryBound(to: Float.self) else { return }
            var done = 0
            while done < frames {
                let count = min(Self.quantum, frames - done)
                take(samples + done * channels, into: work, count: count * channels)
                if isChanging {
                    coming.process(work, frames: count, channels: channels)
                } else {
                    filters.process(work, frames: count, channels: channels)
                }
                done += count
            }
        }
    }

    /// Processes 64 frames and returns those of two calls before. Both may be the same memory. `guarding`: the input may
    /// exceed full scale without any effect, as a loudness gain may cause.
    @_noLocks @_noAllocation
    mutating func process(
        _ input: UnsafePointer<Float>, into output: UnsafeMutablePointer<Float>, guarding: Bool
    ) {
        var work = InlineArray<512, Float>(repeating: 0)
        withUnsafeMutableBytes(of: &work) { bytes in
            guard let work = bytes.baseAddress?.assumingMemoryBound(to: Float.self) else { return }
            take(input, into: work, count: Self.quantum * channels)
            if isChanging {
                fade(work)
            } else {
                filters.process(work, frames: Self.quantum, channels: channels)
                untouched = filters.isNeutral ? min(2, untouched + 1) : 0
            }
            limiter.process(work, into: output, isGuarding: guarding)
        }
    }

    @_noLocks @_noAllocation
    private mutating func fade(_ work: UnsafeMutablePointer<Float>) {
        untouched = 0
        var other = InlineArray<512, Float>(repeating: 0)
        withUnsafeMutableBytes(of: &other) { bytes in
            guard let other = bytes.baseAddress?.assumingMemoryBound(to: Float.self) else { return }
            for index in 0..<Self.quantum * channels { other[index] = work[index] }
            filters.process(work, frames: Self.quantum, channels: channels)
            coming.process(other, frames: Self.quantum, channels: channels)
            var position = 0
            for _ in 0..<Self.quantum {
                faded += 1
                let weight = (Float(faded) / Float(fadeFrames)).smoothStep
                for _ in 0..<channels {
                    work[position] += weight * (other[position] - work[position])
                    position += 1
                }
            }
        }
        guard faded == fadeFrames else { return }
        filters = coming
        fadeFrames = 0
    }

    /// Copies valid samples. A NaN would stay in a filter forever, and a sample 96 dB over full scale is not valid.
    @_noLocks @_noAllocation
    private func take(_ source: UnsafePointer<Float>, into target: UnsafeMutablePointer<Float>, count: Int) {
        for index in 0..<count {
            let sample = source[index]
            // For infinite values and NaN the difference is NaN.
            let clamped = min(max(sample, -Self.loudest), Self.loudest)
            target[index] = sample - sample == 0 ? clamped : 0
        }
    }

    private static var loudest: Float {
        @_noLocks @_noAllocation get { 65_536 }
    }
}
