// SPDX-License-Identifier: Apache-2.0

internal import Kernel

/// Commands in the order in which they came, and the one whose change is at the store.
///
/// What follows it waits, since it may refer to what that one brings. A disk that hangs must not take the transport with
/// it, so after a while those that need no saving go ahead.
struct CommandQueue {
    static let patience = 0.5
    /// Then those that need saving are refused: nothing has been begun for them. The one at the store is given up, too,
    /// though it may come into force yet.
    static let limit = 5.0

    private struct Held {
        var prepared: PreparedChange
        var token: CommandToken
        var save: UInt64
        var since: MonotonicTime
        /// Its client has been answered that the outcome is unknown.
        var isGivenUp = false
    }

    private var waiting: [(command: PlayerCommand, token: CommandToken)] = []
    /// Those before it were taken.
    private var first = 0
    private var overtakers = 0
    private var held: Held?

    mutating func append(_ command: PlayerCommand, _ token: CommandToken) {
        waiting.append((command, token))
        if !command.isSavedFirst { overtakers += 1 }
    }

    /// The next command to start now.
    mutating func next(_ now: MonotonicTime) -> (PlayerCommand, CommandToken)? {
        guard first < waiting.count else { return nil }
        guard let held else { return take() }
        guard now.seconds(since: held.since) >= Self.patience,
            overtakers > 0, let index = waiting[first...].firstIndex(where: { !$0.command.isSavedFirst })
        else { return nil }
        overtakers -= 1
        return waiting.remove(at: index)
    }

    private mutating func take() -> (PlayerCommand, CommandToken) {
        defer {
            first += 1
            // Moving the rest now and then keeps taking one cheap.
            if first == waiting.count || first > 1_000 {
                waiting.removeFirst(first)
                first = 0
            }
        }
        if !waiting[first].command.isSavedFirst { overtakers -= 1 }
        return waiting[first]
    }

    mutating func hold(_ prepared: PreparedChange, _ token: CommandToken, save: UInt64, since now: MonotonicTime) {
        held = Held(prepared: prepared, token: token, save: save, since: now)
    }

    /// The change that the store has answered for; nil when that was another save.
    mutating func takeHeld(save: UInt64) -> (PreparedChange, CommandToken)? {
        guard let found = held, found.save == save else { return nil }
        held = nil
        return (found.prepared, found.token)
    }

    /// Takes out what has waited too long for the store.
    mutating func takeExpired(_ now: MonotonicTime) -> [CommandToken] {
        guard let held, now.seconds(since: held.since) >= Self.limit else { return [] }
        let expired = waiting[first...].filter(\.command.isSavedFirst).map(\.token)
        waiting = waiting[first...].filter { !$0.command.isSavedFirst }
        first = 0
        return expired
    }

    /// The command at the store, once, when the store has taken too long.
    mutating func takeGivenUp(_ now: MonotonicTime) -> CommandToken? {
        guard let overdue = held, !overdue.isGivenUp, now.seconds(since: overdue.since) >= Self.limit else {
            return nil
        }
        held?.isGivenUp = true
        return overdue.token
    }

    /// When waiting commands may go ahead of the store or one has waited too long; nil when there are none.
    var deadline: MonotonicTime? {
        guard let held, first < waiting.count || !held.isGivenUp else { return nil }
        return held.since.advanced(bySeconds: overtakers > 0 ? Self.patience : Self.limit)
    }
}
