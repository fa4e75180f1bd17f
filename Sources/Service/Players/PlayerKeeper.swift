// SPDX-License-Identifier: Apache-2.0

public import Playback

/// Stores the players' states, and thereby the list of players. It exists so that the host depends on no database and
/// can be tested without one. All members may block; calls must not overlap.
public protocol PlayerKeeper: Sendable {
    /// The ids of the players other than main, sorted.
    func players() -> [String]
    /// Saves a new player, completely or not at all.
    func create(_ id: String, name: String, output: String?) throws(SaveFailure)
    func open(_ id: String) throws(SaveFailure) -> PlayerState
    /// Saves the removal of a player, although its state may still be in use.
    /// - Returns: a closure that removes its files; to be called after the state is closed.
    func remove(_ id: String) throws(SaveFailure) -> @Sendable () -> Void
}

/// A player's state while the player runs.
public struct PlayerState: Sendable {
    public var store: any PlayerStore
    /// Named values saved beside the player's own state.
    public var notes: [String: String]
    /// Saves the rest. False if the disk keeps the files in use.
    public var close: @Sendable () -> Bool

    public init(_ store: any PlayerStore, notes: [String: String], close: @escaping @Sendable () -> Bool) {
        self.store = store
        self.notes = notes
        self.close = close
    }
}
