// SPDX-License-Identifier: Apache-2.0

public import Playback

/// Makes and ends players. It exists so that the API needs to know neither files nor outputs, and can be tested without.
public protocol PlayerRoster: Sendable {
    /// Makes a player; saved when it returns. Called by one thread at a time; may block.
    /// - Returns: its id.
    func add(_ draft: PlayerDraft) throws(Problem) -> String

    /// Ends a player that may be playing, with a fade; gone for good when it returns.
    /// Called by one thread at a time; may block for 2 s.
    func remove(_ id: String) throws(Problem)

    /// Any thread.
    func hasPlayer(_ id: String) -> Bool

    /// Seconds by which the player was last measured behind the one that it follows; nil unless both sound. Any thread.
    func offset(of id: String) -> Double?

    /// An interruption concerns all players, those made during it as well. Any thread; `done` when all have taken it in.
    func interrupt(_ notice: InterruptionNotice, done: @escaping @Sendable () -> Void)
}

/// A client's wishes for a new player; nil lets the server choose.
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
