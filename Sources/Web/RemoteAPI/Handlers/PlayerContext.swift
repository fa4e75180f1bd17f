// SPDX-License-Identifier: Apache-2.0

import HTTP
import Playback
import Service
import Synchronization

/// The parts shared by the handlers of one player: its verbs, and values of the remote API.
struct PlayerContext: Sendable {
    /// The base path of the routes.
    let path: PlayerPath
    let verbs: PlayerService
    /// Identifies this player in this run of the server, in entity tags and event ids.
    let epoch: String
    let clock: any PlayerClock
    let followers = FollowerList()
    let snapshots = SnapshotCache()
    let players: PlayerTable

    var links: ItemLinks { ItemLinks(path: path, sealed: server.parts.sealed) }

    init(_ verbs: PlayerService, epoch: String, clock: any PlayerClock, players: PlayerTable) {
        path = PlayerPath(id: verbs.id)
        self.verbs = verbs
        self.epoch = epoch
        self.clock = clock
        self.players = players
    }

    var player: any PlayerControl { verbs.player }
    var server: ServerService { verbs.server }

    /// The whole state as JSON.
    func encode(_ snapshot: PlayerSnapshot, at moment: Moment) -> [UInt8] {
        JSONWriter.object(capacity: 2048) {
            $0.members(of: snapshot, links, followers: followers.ids, at: moment)
        }
    }

    /// Replies with the whole state.
    func state(_ reply: @escaping Reply) -> ServiceReply<PlayerSnapshot> {
        answering(reply) { .json(encode($0, at: Moment(clock))) }
    }

    func itemID(_ text: String) throws(Problem) -> ItemID { try ItemID(text).orThrow(.unknownItem(text)) }
}

/// The followers of one player. Any thread.
final class FollowerList: Sendable {
    private let list = Mutex<[String]>([])

    var ids: [String] { list.withLock { $0 } }

    /// Reads the group from the players' settings.
    /// - Returns: whether it has changed.
    func refresh(of leader: PlayerPath, _ players: PlayerTable) -> Bool {
        list.withLock { list in
            let ids = players.all.filter { $0.context.player.snapshot.settings.leader == leader.id }.map(\.path.id)
            defer { list = ids }
            return ids != list
        }
    }
}
