// SPDX-License-Identifier: Apache-2.0

/// The limits that the audio session sets for a player.
public struct SessionRules: Hashable, Sendable {
    /// The reason why the player may not play; nil if it may.
    public var refusal: String?
    /// The silent switch is on and applies: the player plays inaudibly.
    public var isSilenced = false
    /// The `media.role` of the stream.
    public var role = "music"
    /// Full volume, no balance, no effects: the session measures the sound.
    public var isUnprocessed = false
    public var routes = RouteFilter()

    public init() {}
}

extension PlayerCore {
    mutating func apply(_ new: SessionRules) {
        let old = rules
        rules = new
        if new.isSilenced != old.isSilenced || new.isUnprocessed != old.isUnprocessed { applyBalance() }
        if new.isUnprocessed != old.isUnprocessed {
            applyVolume()
            if settings.effects.isEnabled { applyEffects() }
        }
        if new.role != old.role { actions.append(.output(.describe(role: new.role))) }
        if new.routes != old.routes { admit(new.routes) }
        guard new.refusal != nil else {
            // Playback is allowed again; the user decides.
            if case .pause(.session) = goal { goal = .pause(.sessionChanged) }
            return
        }
        if goal.wantsSound { goal = .pause(.session) }
        // A player that may not play keeps no device. The position stays.
        replaceStream(stream.generation)
    }

    func checkRules() throws(PlaybackError) {
        if let refusal = rules.refusal { throw PlaybackError(.sessionForbids, refusal) }
    }

    func checkOutput() throws(PlaybackError) {
        if case .unavailable(let message) = availability { throw PlaybackError(.outputUnavailable, message) }
    }
}
