// SPDX-License-Identifier: Apache-2.0

public import Playback
internal import Synchronization

/// All players of a server, for the session: commands to all players reach later added ones too. Any thread.
public final class SessionPlayers: Sendable {
    /// Calls back exactly once, as `Player.perform` does; must not block.
    public typealias Perform = @Sendable (PlayerCommand, _ done: @escaping @Sendable () -> Void) -> Void

    private struct State {
        var members: [String: Perform] = [:]
        var rules: SessionRules?
        /// The sources of the interruptions in progress. Clients count each one, all other sources have one (as in a player).
        var interruptions: [InterruptionSource] = []

        mutating func note(_ notice: InterruptionNotice) {
            let place = interruptions.firstIndex(of: notice.source)
            let clients = interruptions.count { $0 == .client }
            if !notice.isBeginning {
                if let place { interruptions.remove(at: place) }
            } else if notice.source == .client ? clients < SessionPlayers.maximum : place == nil {
                interruptions.append(notice.source)
            }
        }
    }

    /// A client with more interruptions has lost count itself.
    private static let maximum = 1000

    private let state = Mutex(State())

    public init() {}

    /// Gives the player the present rules, before anyone else can command it.
    public func join(_ id: String, _ perform: @escaping Perform) {
        // Posted under the lock, so that nothing newer can overtake it. Mailboxes do not block.
        state.withLock { state in
            if let rules = state.rules { perform(.applyRules(rules)) {} }
            for source in state.interruptions {
                perform(.interruption(InterruptionNotice(isBeginning: true, source: source))) {}
            }
            state.members[id] = perform
        }
    }

    /// Interruptions of clients that did not end them in time: later players are not interrupted by them.
    public func forgetClients() { state.withLock { $0.interruptions.removeAll { $0 == .client } } }

    public func leave(_ id: String) { state.withLock { _ = $0.members.removeValue(forKey: id) } }

    /// `only`: the ids of the players, nil for all. `done` comes once, when all of them have done it.
    public func command(_ command: PlayerCommand, only: Set<String>? = nil, done: @escaping @Sendable () -> Void) {
        let open = Round(done)
        state.withLock { state in
            switch command {
            case .applyRules(let rules): state.rules = rules
            case .interruption(let notice): state.note(notice)
            default: break
            }
            for (id, perform) in state.members where only?.contains(id) ?? true {
                open.begin()
                perform(command) { open.end() }
            }
        }
        open.end()
    }
}

/// Calls when all started commands, and itself, have ended.
final class Round: Sendable {
    private let open = Atomic(1)
    private let done: @Sendable () -> Void

    init(_ done: @escaping @Sendable () -> Void) { self.done = done }

    func begin() { open.add(1, ordering: .relaxed) }

    func end() {
        if open.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 { done() }
    }
}
