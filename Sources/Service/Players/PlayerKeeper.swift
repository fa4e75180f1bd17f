// SPDX-License-Identifier: Apache-2.0

public import Playback

/// Keeps the players' states, and with them the list of players. It exists so that the host needs no database and can be
/// tested without one. All of it may block; calls come one at a time.
public protocol PlayerKeeper: Sendable {
    /// The ids of the players beside main, sorted.
    func players() -> [String]
    /// Saves that there is such a player: whole, or not at all.
    func create(_ id: String, name: String, output: String?) throws(PlayerKeeperError)
    func open(_ id: String) throws(PlayerKeeperError) -> PlayerState
    /// Saves that there is no such player, although its state may still be in use.
    /// - Returns: removes its files; to be called once the state is closed.
    func remove(_ id: String) throws(PlayerKeeperError) -> @Sendable () -> Void
}

/// Nothing has changed; with a sentence why.
public struct PlayerKeeperError: Error {
    public var reason: String

    public init(_ reason: String) { self.reason = reason }
}

/// A player's state while the player runs.
public struct PlayerState: Sendable {
    public var store: any PlayerStore
    /// Kept beside the player's own state, by name.
    public var notes: [String: String]
    /// Saves the rest. False when the disk keeps the files in use.
    public var close: @Sendable () -> Bool

    public init(
        _ store: any PlayerStore, notes: [String: String] = [:], close: @escaping @Sendable () -> Bool
    ) {
        self.store = store
        self.notes = notes
        self.close = close
    }
}
