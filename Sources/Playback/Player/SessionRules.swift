// SPDX-License-Identifier: Apache-2.0

/// The limits that the machine's audio session sets to a player.
public struct SessionRules: Hashable, Sendable {
    /// Why it may not play; nil when it may.
    public var refusal: String?
    /// The silent switch is on, and counts: plays inaudibly.
    public var isSilenced = false
    /// `media.role` of its stream.
    public var role = "music"
    /// Full volume, no balance, no effects: what is measured must not be changed.
    public var isUnprocessed = false
    public var routes = RouteFilter()

    public init() {}
}

extension PlayerCore {
    mutating func apply(_ new: SessionRules) {
        let old = rules
        rules = new
        if new.isSilenced != old.isSilenced || new.isUnprocessed != old.isUnprocessed { applyGains(over: 0) }
        if new.isUnprocessed != old.isUnprocessed, settings.effects.isEnabled { applyEffects() }
        if new.role != old.role { actions.append(.output(.describe(role: new.role))) }
        if new.routes != old.routes { admit(new.routes) }
        guard new.refusal != nil else {
            // What holds it back is the user's own now.
            if case .pause(.session) = goal { goal = .pause(.sessionChanged) }
            return
        }
        if goal.wantsSound { goal = .pause(.session) }
        // A player that may not sound holds no device either; the position is kept.
        leave(stream.generation)
    }

    func checkRules() throws(PlaybackError) {
        if let refusal = rules.refusal { throw PlaybackError(.sessionForbids, refusal) }
    }

    func checkOutput() throws(PlaybackError) {
        if case .unavailable(let message) = availability { throw PlaybackError(.outputUnavailable, message) }
    }
}
