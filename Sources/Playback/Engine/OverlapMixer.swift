// SPDX-License-Identifier: Apache-2.0

internal import Audio

/// Mixes the start of an item over the end of the previous one, with equal power.
///
/// The output lags by up to three quanta, because the limiter looks ahead. It does not depend on how the input is divided
/// into calls. After the overlap, mixing continues until the limiter is at rest; from then on samples pass unchanged.
struct OverlapMixer {
    /// The limit of the limiter; with more channels there is no overlap.
    static let mostChannels = 8

    private static var quantum: Int { LookAheadLimiter.quantum }
    /// The limiter's look-ahead, in quanta.
    private static let delay = 2

    private let channels: Int
    /// Interleaved.
    private let tail: [Float]
    private let overlap: Int
    private let gain: Float
    private let rising: CrossfadeCurve
    private let falling: CrossfadeCurve
    private var limiter: LookAheadLimiter
    /// The incomplete quantum.
    private var filling: [Float]
    /// Frames in `filling`.
    private var filled = 0
    /// The unlimited quanta inside the limiter, the older one first.
    private var held: [[Float]] = []
    private var mixed = 0
    /// The mixer is empty and passes samples unchanged.
    private(set) var isOver = false

    /// `tail`: interleaved.
    init(_ tail: [Float], gain: Float, ceiling: Float, format: AudioFormat) {
        channels = format.channelCount
        self.tail = tail
        self.gain = gain
        overlap = tail.count / channels
        rising = CrossfadeCurve(.rising, start: 0, frames: FrameCount(overlap))
        falling = CrossfadeCurve(.falling, start: 0, frames: FrameCount(overlap))
        limiter = LookAheadLimiter(format: format, ceiling: ceiling)
        filling = [Float](repeating: 0, count: Self.quantum * channels)
    }

    /// Input frames that are not output yet.
    var pending: Int { isOver ? 0 : filled + held.count * Self.quantum }
    var tailLeft: Int { max(0, overlap - mixed - filled) }

    /// Returns the output for these frames.
    mutating func mix(_ samples: UnsafeBufferPointer<Float>) -> [Float] {
        var output: [Float] = []
        output.reserveCapacity(samples.count + pending * channels)
        var position = 0
        while position < samples.count, !isOver {
            let count = min(samples.count - position, (Self.quantum - filled) * channels)
            for index in 0..<count { filling[filled * channels + index] = samples[position + index] }
            position += count
            filled += count / channels
            if filled == Self.quantum { step(&output) }
        }
        if position < samples.count { output.append(contentsOf: samples[position...]) }
        return output
    }

    /// The input has ended: returns the remaining frames.
    mutating func finish() -> [Float] {
        let count = pending * channels
        var output: [Float] = []
        while !isOver, output.count < count {
            for index in filled * channels..<filling.count { filling[index] = 0 }
            filled = Self.quantum
            step(&output)
        }
        isOver = true
        return Array(output.prefix(count))
    }

    private mutating func step(_ output: inout [Float]) {
        mixQuantum()
        held.append(filling)
        // After the overlap the ceiling no longer applies, only the gain recovers.
        if mixed >= overlap { limiter.move(to: .infinity, quanta: 8) }
        filling.withUnsafeMutableBufferPointer { samples in
            guard let samples = samples.baseAddress else { return }
            limiter.process(samples, into: samples, isGuarding: false)
        }
        filled = 0
        mixed += Self.quantum
        guard held.count > Self.delay else { return }
        output.append(contentsOf: filling)
        held.removeFirst()
        guard mixed >= overlap + Self.delay * Self.quantum, limiter.isIdle else { return }
        // The gain is 1, and nothing inside the limiter will change it.
        for quantum in held { output.append(contentsOf: quantum) }
        held = []
        isOver = true
    }

    private mutating func mixQuantum() {
        let count = min(Self.quantum, overlap - mixed)
        guard count > 0 else { return }
        let first = FrameCount(mixed)
        var part = Array(tail[mixed * channels..<(mixed + count) * channels])
        part.withUnsafeMutableBufferPointer { part in
            guard let part = part.baseAddress else { return }
            falling.apply(to: part, at: first, frames: count, channels: channels)
        }
        filling.withUnsafeMutableBufferPointer { samples in
            guard let samples = samples.baseAddress else { return }
            rising.apply(to: samples, at: first, frames: Self.quantum, channels: channels)
            for index in 0..<count * channels { samples[index] += gain * part[index] }
        }
    }
}
