// SPDX-License-Identifier: Apache-2.0

/// What announcements have done to the music, and what was reported of them to the session. A value: it returns what is to be done.
struct MusicDucking {
    enum Action: Hashable {
        case interrupt
        /// It is to come back; `returned` is called when it has.
        case giveBack
        case duck(to: Double, over: Double)
        /// Whether something is announced.
        case notifySession(Bool)
    }

    /// As reported to the session.
    private enum State: Hashable {
        case quiet
        /// `returns`: how often the music was given back and has not followed yet.
        case announcing(returns: Int)
        case ended
    }

    /// Slow enough not to click, fast enough that the first word is heard.
    private static let duckSeconds = 0.15
    private static let returnSeconds = 0.4

    private var state = State.quiet
    private var treatment: MusicTreatment?

    /// Before the music falls silent for it.
    mutating func begin() -> [Action] {
        guard state == .quiet else { return [] }
        state = .announcing(returns: 0)
        return [.notifySession(true)]
    }

    mutating func treat(_ new: MusicTreatment?) -> [Action] {
        guard state != .ended else { return [] }
        let old = treatment
        treatment = new
        var actions: [Action] = []
        if new == .pause, old != .pause { actions.append(.interrupt) }
        let (gain, before) = (new?.gain ?? 1, old?.gain ?? 1)
        if gain != before {
            actions.append(.duck(to: gain, over: gain < before ? Self.duckSeconds : Self.returnSeconds))
        }
        if new != .pause, old == .pause {
            if case .announcing(let returns) = state { state = .announcing(returns: returns + 1) }
            actions.append(.giveBack)
        }
        return actions
    }

    /// The music has followed once.
    mutating func returned() {
        if case .announcing(let returns) = state, returns > 0 { state = .announcing(returns: returns - 1) }
    }

    /// Nothing is announced any more. Not to be called between two announcements: others would come up for a moment, as they
    /// would before the music sounds again.
    mutating func settle() -> [Action] {
        guard state == .announcing(returns: 0) else { return [] }
        state = .quiet
        return [.notifySession(false)]
    }

    /// The music's player ends as well. Nothing is given back: it would come up for a moment.
    mutating func end() -> [Action] {
        defer { state = .ended }
        if case .announcing = state { return [.notifySession(false)] }
        return []
    }
}
