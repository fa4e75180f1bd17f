// SPDX-License-Identifier: Apache-2.0

internal import Kernel

/// The commands in their order, and the one whose change is at the store.
///
/// The commands after it wait, because they may refer to its result. If the disk hangs, the transport must still work:
/// after a while, commands that need no saving overtake.
struct CommandQueue {
    /// Seconds at the store after which commands that need no saving overtake.
    static let patience = 0.5
    /// Seconds after which waiting commands that need saving fail; nothing was started for them. The command at the store
    /// is answered as well, although its change may still be applied.
    static let limit = 5.0

    private struct Held {
        var prepared: PreparedChange
        var token: CommandToken
        var save: UInt64
        var since: MonotonicTime
        /// Its client has received the answer that the outcome is unknown.
        var isGivenUp = false
    }

    private var waiting: [(command: PlayerCommand, token: CommandToken)] = []
    /// The commands before this index were taken.
    private var first = 0
    private var overtakers = 0
    private var held: Held?

    mutating func append(_ command: PlayerCommand, _ token: CommandToken) {
        waiting.append((command, token))
        if !command.isSavedFirst { overtakers += 1 }
    }

    /// The next command to start at `now`.
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
            // Moving the rest only now and then keeps this cheap.
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

    /// The change that the store has answered; nil if the reply was for another save.
    mutating func takeHeld(save: UInt64) -> (PreparedChange, CommandToken)? {
        guard let found = held, found.save == save else { return nil }
        held = nil
        return (found.prepared, found.token)
    }

    /// Takes the commands that have waited too long for the store, and once the one at the store, which stays.
    mutating func takeOverdue(_ now: MonotonicTime) -> (waiting: [CommandToken], atStore: CommandToken?) {
        guard let overdue = held, now.seconds(since: overdue.since) >= Self.limit else { return ([], nil) }
        held?.isGivenUp = true
        let expired = waiting[first...].filter(\.command.isSavedFirst).map(\.token)
        waiting = waiting[first...].filter { !$0.command.isSavedFirst }
        first = 0
        return (expired, overdue.isGivenUp ? nil : overdue.token)
    }

    /// The time at which waiting commands may overtake or expire; nil if none can.
    var deadline: MonotonicTime? {
        guard let held, first < waiting.count || !held.isGivenUp else { return nil }
        return held.since.advanced(bySeconds: overtakers > 0 ? Self.patience : Self.limit)
    }
}
