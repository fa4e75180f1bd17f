// SPDX-License-Identifier: Apache-2.0

/// Effects: the player keeps them and hands them to its output.
extension PlayerCore {
    /// What sounds now: nothing of it while sound is measured.
    mutating func applyEffects() {
        actions.append(.setEffects(rules.isUnprocessed ? .off : settings.effects))
    }

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
