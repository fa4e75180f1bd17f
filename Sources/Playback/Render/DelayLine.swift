// SPDX-License-Identifier: Apache-2.0

internal import Audio

/// The latest output of the effects, by index, played with a delay. The output is a function of the index, so frames can
/// be rendered again with the same result. A change of the delay crossfades within 40 ms.
struct DelayLine {
    /// ms
    static let range = 0.0...500
    /// Seconds for steps back.
    private static let spare = 1.0

    private struct Step {
        /// Frames; in force one fade after `start`.
        var delay: FrameCount
        var start: FrameCount
    }

    private let memory: UnsafeMutablePointer<Float>
    private let capacity: FrameCount
    private let channels: Int
    private let fadeFrames: FrameCount
    /// The changes that can still be rendered again; the first one applies from the start.
    private var steps: InlineArray<4, Step>
    private var last = 0
    /// Index of the first frame of the run; silence lies before it.
    private var first: FrameCount = 0

    init(_ format: AudioFormat) {
        channels = format.channelCount
        capacity = format.frames(Self.range.upperBound / 1_000 + Self.spare)
        fadeFrames = format.frames(0.04)
        steps = InlineArray(repeating: Step(delay: 0, start: .min / 2))
        let samples = Int(capacity) * format.channelCount
        memory = .allocate(capacity: samples)
        memory.initialize(repeating: 0, count: samples)
    }

    func deallocate() { memory.deallocate() }

    /// Frames from `index` on pass without delay.
    @_noLocks @_noAllocation
    func isOff(from index: FrameCount) -> Bool { steps[last].delay == 0 && index >= steps[last].start + fadeFrames }

    /// Changes the delay from `index` on, or once the present change is complete.
    mutating func change(to delay: FrameCount, from index: FrameCount) {
        guard delay != steps[last].delay else { return }
        if index <= steps[last].start {
            steps[last].delay = delay
            return
        }
        let start = max(index, steps[last].start + fadeFrames)
        if last == 3 {
            for position in 0..<3 { steps[position] = steps[position + 1] }
        } else {
            last += 1
        }
        steps[last] = Step(delay: delay, start: start)
    }

    /// Sets the delay from the run's first frame on.
    mutating func set(_ delay: FrameCount) {
        last = 0
        steps[0] = Step(delay: delay, start: .min / 2)
    }

    /// Starts a run: frames before `index` belong to another place.
    @_noLocks @_noAllocation
    mutating func begin(at index: FrameCount) { first = index }

    @_noLocks @_noAllocation
    func keep(_ samples: UnsafePointer<Float>, at index: FrameCount, frames: Int) {
        for frame in 0..<frames where index + FrameCount(frame) >= first {
            let slot = Int((index + FrameCount(frame)) % capacity) * channels
            for channel in 0..<channels { memory[slot + channel] = samples[frame * channels + channel] }
        }
    }

    /// Writes the frames for `index` to `samples`. `direct`: the undelayed frames.
    @_noLocks @_noAllocation
    mutating func give(
        _ direct: UnsafePointer<Float>, into samples: UnsafeMutablePointer<Float>, at index: FrameCount, frames: Int
    ) {
        for frame in 0..<frames {
            let here = index + FrameCount(frame)
            var position = last
            while position > 0, here < steps[position].start { position -= 1 }
            let step = steps[position]
            let done = here - step.start
            let isFading = position > 0 && done < fadeFrames
            let previous = isFading ? steps[position - 1].delay : step.delay
            let weight = isFading ? (Float(done) / Float(fadeFrames)).smoothStep : 1
            for channel in 0..<channels {
                let now = direct[frame * channels + channel]
                let new = step.delay == 0 ? now : sample(here - step.delay, channel)
                guard isFading else {
                    samples[frame * channels + channel] = new
                    continue
                }
                let old = previous == 0 ? now : sample(here - previous, channel)
                samples[frame * channels + channel] = old + weight * (new - old)
            }
        }
    }

    /// The first frames of a run that starts in the middle fade in.
    @_noLocks @_noAllocation
    private func sample(_ index: FrameCount, _ channel: Int) -> Float {
        guard index >= first else { return 0 }
        let value = memory[Int(index % capacity) * channels + channel]
        guard first > 0, index < first + fadeFrames else { return value }
        return value * Float(index - first) / Float(fadeFrames)
    }
}
