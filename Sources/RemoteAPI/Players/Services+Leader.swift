// SPDX-License-Identifier: Apache-2.0

import Playback

extension Services {
    /// Whether this player may follow that one. Two requests at the same moment may still make a circle: then each waits for
    /// the other, until one is told to follow nobody.
    func checkLeader(_ leader: String) throws(Problem) {
        guard roster != nil else { throw .busy("This server has one player only.") }
        guard !path.isMain else {
            throw Problem(
                status: 409, code: "main-player", title: "Not possible in this state",
                detail: "The player main follows nobody: let the others follow it.")
        }
        guard leader != path.id else { throw .invalid("leader", "A player cannot follow itself.") }
        guard let player = players[leader] else {
            throw .invalid("leader", "There is no player \(leader.prefix(40)).", code: "unknown-player")
        }
        if let third = player.services.player.snapshot.settings.leader {
            throw .following("The player \(leader) follows \(third) itself: follow that one.")
        }
        if let follower = players.all.first(where: { $0.services.player.snapshot.settings.leader == path.id }) {
            throw .following("The player \(follower.path.id) follows this one.")
        }
    }
}

extension Problem {
    fileprivate static func following(_ detail: String) -> Problem {
        Problem(status: 409, code: "following", title: "Not possible in this state", detail: detail)
    }
}
