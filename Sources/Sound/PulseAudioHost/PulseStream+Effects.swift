// SPDX-License-Identifier: Apache-2.0

import Audio
import Playback
import Kernel

extension PulseStream {
    /// Seconds between two audible changes, as each renders the queued sound again.
    private static let pause = 0.04

    /// Takes effect from the first frame that the sink has not consumed. Of several changes in a row only the latest
    /// counts.
    func setEffects(_ effects: EffectSettings) {
        wantedEffects = effects
        tick()
    }

    /// Frames that the sink has already are not copied.
    func setTap(_ tap: SoundTap?) {
        let begun = tap.map { (tap: $0, ring: $0.begin(ring.format)) }
        context.pointee.renderer.use(begun?.ring)
        self.tap = begun
    }

    func applyEffects(_ now: MonotonicTime) {
        if stage?.isSpent == true, wantedEffects == nil { use(nil) }
        guard let effects = wantedEffects, phase != .running || now >= effectsDue else { return }
        wantedEffects = nil
        guard phase == .running else { return use(EffectStage.changed(stage, to: effects, ring: ring)) }
        effectsDue = now.advanced(bySeconds: Self.pause)
        let cost = ring.format.frames(EffectStage.secondsToChange(to: effects, ring.format))
        context.pointee.renderer.rewind(to: safeIndex(.now) + cost)
        use(EffectStage.changed(stage, to: effects, ring: ring))
        context.pointee.rewrite()
    }

    func renewEffects() { use(EffectStage.renewed(stage, ring: ring)) }

    private func use(_ stage: EffectStage?) {
        context.pointee.renderer.use(stage)
        self.stage = stage
    }
}
