// SPDX-License-Identifier: Apache-2.0

import HTTP
import Playback
import Service

/// `/players`: the list of players. Adding and removing need the scope `admin`: a client that may play in the kitchen
/// must not be able to remove the kitchen.
extension PlayerContext {
    var playersRoutes: [Route] {
        [
            .get(PlayerPath.list) { _, reply in
                reply(.json { $0.member("players", objects: players.all) { $0.entryMembers(of: $1.context) } })
            },
            .write(.post, PlayerPath.list, scope: .admin) { call, reply throws(Problem) in
                server.addPlayer(
                    try call.body.read(PlayerDraft.self),
                    reply: answering(reply) { id throws(Problem) in
                        let player = try players[id].orThrow(.unknownPlayer(id))
                        return .json(status: 201, [("Location", player.path.player)]) {
                            $0.entryMembers(of: player.context)
                        }
                    })
            },
        ]
    }

    /// `DELETE` of the player.
    var removal: Route {
        .delete(PlayerPath.main.player, scope: .admin) { _, reply in
            server.removePlayer(path.id, reply: done(reply))
        }
    }
}

/// `POST /players`
extension PlayerDraft: JSONReadable {
    init(_ json: JSONNode) throws(Problem) {
        let object = try StrictObject(json, ["id", "name", "output"])
        self.init(id: try object.text("id"), name: try object.playerName(), output: try object.text("output"))
        if let id, !PlayerPath.isID(id) {
            throw object.invalid("id", "must be 1 to 32 letters, digits and hyphens, and not begin with a hyphen")
        }
    }
}

extension StrictObject {
    func playerName() throws(Problem) -> String? {
        guard let name = try text("name") else { return nil }
        guard PlayerSettings.isName(name) else {
            throw invalid("name", "must be 1 to 100 characters in one line, and not only spaces")
        }
        return name
    }
}

extension JSONWriter {
    /// An entry of `GET /players`.
    mutating func entryMembers(of context: PlayerContext) {
        let (snapshot, path) = (context.player.snapshot, context.path)
        let draft = snapshot.item?.item.draft
        member("id", path.id)
        member("name", snapshot.settings.name)
        member("status", snapshot.status.rawValue)
        member("title", draft?.title ?? snapshot.item?.media?.tags.title)
        member("artist", draft?.artist ?? snapshot.item?.media?.tags.artist)
        member("uri", draft.map { PublicURI.text($0.uri) })
        member("queueLength", snapshot.queueLength)
        member("output", snapshot.output.devices.current)
        member("volume", snapshot.settings.volume)
        member("level", snapshot.settings.level)
        member("muted", snapshot.settings.muted)
        member("leader", snapshot.settings.leader)
        member("offset", context.server.parts.roster?.offset(of: path.id))
        member("href", path.player)
    }
}
