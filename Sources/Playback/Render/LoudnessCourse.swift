// SPDX-License-Identifier: Apache-2.0

internal import Audio

/// The loudness gain as a function of the ring index, so that frames can be rendered again with the same result: constant
/// within a track, with a ramp of 40 ms where the settings change.
struct LoudnessCourse {
    /// Settings, in force 40 ms after `start`.
    private struct Step {
        var settings: EffectSettings.Loudness
        var start: FrameCount
        /// The gain of the track that was looked up last.
        var factor: Float = 1
        /// The gain amplifies the track and could make it clip.
        var isGuarded = false
    }

    /// The changes that can still be rendered again; the first one applies from the start.
    private var steps: InlineArray<4, Step>
    private var last = 0
    private let length: FrameCount
    private var section: UInt64?
    /// All factors are 1.
    private var isOff: Bool

    init(_ settings: EffectSettings.Loudness, sampleRate: Int) {
        steps = InlineArray(repeating: Step(settings: settings, start: .min))
        length = FrameCount(sampleRate / 25)
        isOff = settings.mode == .off
    }

    /// True if all factors from `index` on are 1.
    func isOff(from index: FrameCount) -> Bool {
        isOff || (steps[last].settings.mode == .off && (last == 0 || index >= steps[last].start + length))
    }

    /// Changes the settings from `index` on, or once the present change is complete.
    mutating func change(to settings: EffectSettings.Loudness, from index: FrameCount) {
        guard settings != steps[last].settings else { return }
        section = nil
        if last > 0, index <= steps[last].start {
            steps[last].settings = settings
        } else {
            let end = last > 0 ? steps[last].start + length : .min
            if last == 3 {
                for position in 0..<3 { steps[position] = steps[position + 1] }
            } else {
                last += 1
            }
            steps[last] = Step(settings: settings, start: max(index, end))
        }
        isOff = true
        for position in 0..<last + 1 where steps[position].settings.mode != .off { isOff = false }
    }

    /// Applies the gain; a factor of 1 changes nothing. Returns whether the frames need protection from clipping.
    @_noLocks @_noAllocation
    mutating func apply(
        to samples: UnsafeMutablePointer<Float>, at index: FrameCount, frames: Int, channels: Int,
        of ring: Unmanaged<FrameRing>
    ) -> Bool {
        if isOff { return false }
        var done = 0
        var isGuarded = false
        while done < frames {
            let here = index + FrameCount(done)
            let end = lookUp(here, ring)
            let count = Int(min(FrameCount(frames - done), end - here))
            if scale(samples + done * channels, at: here, frames: count, channels: channels) { isGuarded = true }
            done += count
        }
        return isGuarded
    }

    /// True if any written frame from `index` to `end` needs protection from clipping.
    @_noLocks @_noAllocation
    mutating func isGuarded(from index: FrameCount, to end: FrameCount, of ring: Unmanaged<FrameRing>) -> Bool {
        if isOff { return false }
        var index = index
        while index < end {
            index = lookUp(index, ring)
            for position in 0..<last + 1 where steps[position].isGuarded { return true }
        }
        return false
    }

    /// Looks up the track of a frame and returns its end.
    @_noLocks @_noAllocation
    private mutating func lookUp(_ index: FrameCount, _ ring: Unmanaged<FrameRing>) -> FrameCount {
        let section = ring._withUnsafeGuaranteedRef { $0.section(at: index) }
        if self.section != section.number {
            self.section = section.number
            // A gain that was limited by the peak needs no protection.
            var hasPeak = false
            if let loudness = section.loudness {
                if case .some = loudness.trackPeak { hasPeak = true }
                if case .some = loudness.albumPeak { hasPeak = true }
            }
            for position in 0..<last + 1 {
                let settings = steps[position].settings
                steps[position].factor = factor(of: section, settings)
                steps[position].isGuarded = settings.preventsClipping && steps[position].factor > 1 && !hasPeak
            }
        }
        return section.end
    }

    @_noLocks @_noAllocation
    private mutating func scale(
        _ samples: UnsafeMutablePointer<Float>, at index: FrameCount, frames: Int, channels: Int
    ) -> Bool {
        let (first, final) = (step(at: index), step(at: index + FrameCount(frames - 1)))
        let stands = first == 0 || index - steps[first].start >= length
        if first == final, stands {
            let factor = steps[first].factor
            if factor != 1 {
                for position in 0..<frames * channels { samples[position] *= factor }
            }
            return steps[first].isGuarded
        }
        for frame in 0..<frames {
            let factor = factor(at: index + FrameCount(frame))
            for channel in 0..<channels { samples[frame * channels + channel] *= factor }
        }
        for position in max(0, first - 1)..<final + 1 where steps[position].isGuarded { return true }
        return false
    }

    @_noLocks @_noAllocation
    private mutating func step(at index: FrameCount) -> Int {
        var position = last
        while position > 0, index < steps[position].start { position -= 1 }
        return position
    }

    @_noLocks @_noAllocation
    private mutating func factor(at index: FrameCount) -> Float {
        let position = step(at: index)
        let to = steps[position].factor
        // Exactly the target once it is reached, like in the branch for constant gain above.
        guard position > 0, index < steps[position].start + length else { return to }
        let done = index - steps[position].start
        let from = steps[position - 1].factor
        return from + (to - from) * (Float(done) / Float(length)).smoothStep
    }

    /// Computes a power of ten, which neither locks nor allocates; the compiler cannot know that.
    @_semantics("no_performance_analysis")
    private func factor(of section: FrameSection, _ settings: EffectSettings.Loudness) -> Float {
        settings.factor(for: section.loudness, inAlbum: section.isInAlbum)
    }
}
