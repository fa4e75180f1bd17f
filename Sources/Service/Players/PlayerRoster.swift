// SPDX-License-Identifier: Apache-2.0

public import Playback

/// Adds and removes players. It exists so that the API depends neither on files nor on outputs, and can be tested
/// without them.
public protocol PlayerRoster: Sendable {
    /// Adds a player; it is saved when this returns. One thread at a time; may block.
    /// - Returns: its id.
    func add(_ draft: PlayerDraft) throws(Problem) -> String

    /// Ends a player, with a fade if it is playing; it is removed for good when this returns. One thread at a time; may
    /// block for 2 s.
    func remove(_ id: String) throws(Problem)

    /// Any thread.
    func hasPlayer(_ id: String) -> Bool

    /// The player's delay behind its leader in seconds, as last measured; nil unless both are audible. Any thread.
    func offset(of id: String) -> Double?

    /// An interruption of all players, including ones added during it. Any thread; `done` is called when all have
    /// applied it.
    func interrupt(_ notice: InterruptionNotice, done: @escaping @Sendable () -> Void)
}

/// A client's request for a new player; nil lets the server choose.
public struct PlayerDraft: Hashable, Sendable {
    /// Letters, digits and hyphens, at most 32.
    public var id: String?
    public var name: String?
    /// Id of an output.
    public var output: String?

    public init(id: String? = nil, name: String? = nil, output: String? = nil) {
        self.id = id
        self.name = name
        self.output = output
    }
}
