// SPDX-License-Identifier: Apache-2.0

internal import Audio

/// Mixes the beginning of an item over the end of the one before, with equal power.
///
/// Frames come out up to three quanta after they went in, as the limiter looks ahead; what comes out does not depend on how
/// the frames are cut into calls. Behind the overlap it goes on until the limiter is at rest; then the samples are as they were.
struct OverlapMixer {
    /// That the limiter takes; with more there is no overlap.
    static let mostChannels = 8

    private static var quantum: Int { LookAheadLimiter.quantum }
    /// Of the limiter, in quanta.
    private static let delay = 2

    private let channels: Int
    /// Interleaved.
    private let tail: [Float]
    private let overlap: Int
    private let gain: Float
    private let rising: CrossfadeCurve
    private let falling: CrossfadeCurve
    private var limiter: LookAheadLimiter
    /// The quantum that fills.
    private var filling: [Float]
    /// Frames in it.
    private var filled = 0
    /// The quanta that the limiter holds, as they went in, the older one first.
    private var held: [[Float]] = []
    /// Frames that were mixed.
    private var mixed = 0
    /// Nothing is left in it, and it changes nothing any more.
    private(set) var isOver = false

    /// `tail`: interleaved, of the format.
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

    /// Frames that went in and are not out.
    var pending: Int { isOver ? 0 : filled + held.count * Self.quantum }
    /// Frames of the tail that are not mixed.
    var tailLeft: Int { max(0, overlap - mixed - filled) }

    /// Returns what comes out for these frames.
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

    /// Nothing comes any more: gives out what it holds.
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
        // What is loud by itself stays as it is: behind the overlap the gain only comes back.
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
        // The gain is 1, and nothing in the limiter will change it.
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
