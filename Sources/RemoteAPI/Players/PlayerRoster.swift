// SPDX-License-Identifier: Apache-2.0

public import Playback

/// Makes and ends players. It exists so that the API needs to know neither files nor outputs, and can be tested without.
public protocol PlayerRoster: Sendable {
    /// Makes a player and admits it to the API; saved when it returns. Called by one thread at a time; may block.
    /// - Returns: its id.
    func add(_ draft: PlayerDraft) throws(PlayerRosterProblem) -> String

    /// Ends a player that may be playing, with a fade, and dismisses it from the API; gone for good when it returns.
    /// Called by one thread at a time; may block for 2 s.
    func remove(_ id: String) throws(PlayerRosterProblem)

    /// Seconds by which the player was last measured behind the one that it follows; nil unless both sound. Any thread.
    func offset(of id: String) -> Double?

    /// An interruption concerns all players, those made during it as well. Any thread; `done` when all have taken it in.
    func interrupt(_ notice: InterruptionNotice, done: @escaping @Sendable () -> Void)
}

/// What a client says of a new player; whatever is nil is chosen for it.
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

/// Cases by the status they are answered with.
public enum PlayerRosterProblem: Error, Hashable, Sendable {
    case exists(String)
    case tooMany(maximum: Int)
    case unknown(String)
    case unknownOutput(String)
    /// Main stays.
    case isMain
    /// Nothing has changed; with a sentence why.
    case notSaved(String)
    /// Now; with a sentence why.
    case notPossible(String)
}

extension Problem {
    init(_ problem: PlayerRosterProblem) {
        switch problem {
        case .exists(let id):
            self.init(
                status: 409, code: "player-exists", title: "Not possible in this state",
                detail: "There is a player \(id) already.")
        case .tooMany(let maximum):
            self.init(
                status: 409, code: "too-many-players", title: "Not possible in this state",
                detail: "There are \(maximum) players, and no more can be: remove one.")
        case .isMain:
            self.init(
                status: 409, code: "main-player", title: "Not possible in this state",
                detail: "The player main cannot be removed.")
        case .unknown(let id): self = .unknownPlayer(id)
        case .unknownOutput(let id):
            self = .invalid("output", "There is no output \(id.prefix(100)).", code: "unknown-output")
        case .notSaved(let reason):
            self.init(status: 500, code: "not-saved", title: "Not saved", detail: reason)
        case .notPossible(let reason): self = .busy(reason)
        }
    }

    static func unknownPlayer(_ id: String) -> Problem {
        .notFound("There is no player \(id.prefix(40)).", code: "unknown-player")
    }
}
