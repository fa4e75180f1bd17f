// SPDX-License-Identifier: Apache-2.0

internal import Audio

/// Effects: the player keeps them and hands them to its output.
extension PlayerCore {
    /// What sounds now: nothing of it while sound is measured.
    mutating func applyEffects() {
        actions.append(.output(.setEffects(rules.isUnprocessed ? .off : settings.effects)))
    }

    /// Behind the last frame of all, silence goes into the ring for as long as the effects still sound.
    mutating func reconcileDecay() {
        guard case .play = goal, seek == nil, let current, case .written(let end) = current.stage,
            let format = stream.format
        else { return }
        guard upcoming == nil else {
            // What was added at the last moment follows without a gap.
            guard current.decayEnd != nil, stream.timeline.heard < end, current.media?.isSeekable == true else {
                return
            }
            return runSeek(DecodeStart(place: .seconds(position)), target: position)
        }
        guard wantsDecay, format.seconds(end - stream.timeline.heard) <= feedAhead,
            !stream.timeline.isEmpty(current.generation, current.run, end: end)
        else { return }
        let frames = format.frames(decay)
        self.current?.decayEnd = end + frames
        stream.timeline.end(at: end)
        actions.append(.feed(current.generation, Feed(tempo: .normal, decay: frames)))
    }

    /// Seconds. Whether something follows an item of a follower, its leader knows.
    private var decay: Double {
        let mayFollow = settings.leader != nil && leaders?.isLast != true
        return rules.isUnprocessed || mayFollow || sleep?.isFading == true ? 0 : settings.effects.tail
    }

    var wantsDecay: Bool { decay > 0 && current?.decayEnd == nil }

    var hasDecayed: Bool { current?.decayEnd.map { stream.timeline.heard >= $0 } ?? true }

    mutating func commit(effects new: PlayerSettings, _ prepared: PreparedChange) {
        let isHeard = new.effects != settings.effects
        guard isHeard || new.effectPresets != settings.effectPresets else { return }
        settings.effects = new.effects
        settings.effectPresets = new.effectPresets
        if isHeard { applyEffects() }
        saveAgainIfOlder(prepared)
        emit(.effects(settings.effects))
    }
}
