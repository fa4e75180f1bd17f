// SPDX-License-Identifier: Apache-2.0

extension Problem {
    public init(_ problem: PlayerRosterProblem) {
        switch problem {
        case .exists(let id): self.init(.conflict, "player-exists", "There is a player \(id) already.")
        case .tooMany(let maximum):
            self.init(
                .conflict, "too-many-players", "There are \(maximum) players, and no more can be: remove one.")
        case .isMain: self.init(.conflict, "main-player", "The player main cannot be removed.")
        case .unknown(let id): self = .unknownPlayer(id)
        case .unknownOutput(let id):
            self = .invalid("output", "There is no output \(id.prefix(100)).", code: "unknown-output")
        case .notSaved(let reason): self.init(.failed, "not-saved", reason)
        case .notPossible(let reason): self = .busy(reason)
        }
    }
}
