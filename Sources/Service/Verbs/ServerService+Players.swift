// SPDX-License-Identifier: Apache-2.0

/// Players come and go.
extension ServerService {
    /// Makes a player; replies with its id.
    public func addPlayer(_ draft: PlayerDraft, reply: @escaping ServiceReply<String>) {
        onRoster(reply) { roster throws(PlayerRosterProblem) in try roster.add(draft) }
    }

    /// Ends a player for good.
    public func removePlayer(_ id: String, reply: @escaping ServiceReply<Void>) {
        guard id != HostedPlayer.main else { return reply(.failure(Problem(.isMain))) }
        onRoster(reply) { roster throws(PlayerRosterProblem) in try roster.remove(id) }
    }

    private func onRoster<Value>(
        _ reply: @escaping ServiceReply<Value>,
        _ job: @escaping @Sendable (any PlayerRoster) throws(PlayerRosterProblem) -> Value
    ) {
        guard let roster = parts.roster else { return reply(.failure(.onePlayer)) }
        let isTaken = rosterWorker.submit {
            reply(Result { () throws(PlayerRosterProblem) in try job(roster) }.mapError { Problem($0) })
        }
        if !isTaken { reply(.failure(.busy("Too many players are being added and removed."))) }
    }
}

extension PlayerService {
    /// Whether the player may follow that one.
    func check(leader: String) throws(Problem) {
        guard let roster = server.parts.roster else { throw .onePlayer }
        guard leader != id else { throw .invalid("leader", "A player cannot follow itself.") }
        guard roster.hasPlayer(leader) else {
            throw .invalid("leader", "There is no player \(leader.prefix(40)).", code: "unknown-player")
        }
    }
}

extension Problem {
    fileprivate static let onePlayer = busy("This server has one player only.")
}
