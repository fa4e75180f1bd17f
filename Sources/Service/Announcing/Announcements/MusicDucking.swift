// SPDX-License-Identifier: Apache-2.0

/// The treatment of the music by announcements, and the reports to the session. A value that returns the actions to
/// perform.
struct MusicDucking {
    enum Action: Hashable {
        case interrupt
        /// Restores the music; `returned` is called when it plays again.
        case giveBack
        case duck(to: Double, over: Double)
        /// Whether something is announced.
        case notifySession(Bool)
    }

    /// As reported to the session.
    private enum State: Hashable {
        case quiet
        /// `returns`: the number of restorations that the music has not confirmed yet.
        case announcing(returns: Int)
        case ended
    }

    /// Slow enough to avoid a click, fast enough for the first word.
    private static let duckSeconds = 0.15
    private static let returnSeconds = 0.4

    private var state = State.quiet
    private var treatment: MusicTreatment?

    /// Called before the music falls silent.
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

    /// The music has confirmed one restoration.
    mutating func returned() {
        if case .announcing(let returns) = state, returns > 0 { state = .announcing(returns: returns - 1) }
    }

    /// The last announcement has ended. Not to be called between two announcements, nor before the music plays again:
    /// other programs would be heard for a moment.
    mutating func settle() -> [Action] {
        guard state == .announcing(returns: 0) else { return [] }
        state = .quiet
        return [.notifySession(false)]
    }

    /// The music's player ends too. The music is not restored, as it would be heard for a moment.
    mutating func end() -> [Action] {
        defer { state = .ended }
        if case .announcing = state { return [.notifySession(false)] }
        return []
    }
}
