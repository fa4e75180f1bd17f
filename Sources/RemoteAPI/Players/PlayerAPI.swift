// SPDX-License-Identifier: Apache-2.0

import HTTP
import Playback
import Synchronization

/// One player as the API has it: what its handlers share, its routes and its channel.
final class PlayerAPI: Sendable {
    let path: PlayerPath
    let services: Services
    let hub: EventHub
    let router: Router
    let commands: CommandTable
    /// As last told, to see when it changes.
    private let name: Mutex<String>

    init(_ services: Services, hub: EventHub, _ routes: [Route]) {
        path = services.path
        self.services = services
        self.hub = hub
        router = Router(routes)
        commands = CommandTable(router)
        name = Mutex(services.player.snapshot.settings.name)
    }

    /// What every player has below `/players/{player}`, but for its removal.
    static func routes(_ services: Services, _ hub: EventHub) -> [Route] {
        PlayerRoutes(services: services).routes + QueueRoutes(services: services).routes
            + MediaRoutes(services: services).itemRoutes + RenditionRoutes(services: services).itemRoutes
            + LibraryMediaRoutes(services: services).itemRoutes + OutputRoutes(services: services).routes
            + AnnouncementRoutes(services: services).routes
            + StreamRecordingRoutes(services: services).routes + [EventChannel.route(hub)]
    }

    /// Whether a change of the settings was one of the name.
    func isRenamed(_ settings: PlayerSettings) -> Bool {
        name.withLock { name in
            defer { name = settings.name }
            return name != settings.name
        }
    }
}

/// The players by id. Usable from any thread.
final class PlayerTable: Sendable {
    private let players = Mutex<[String: PlayerAPI]>([:])

    subscript(id: String) -> PlayerAPI? { players.withLock { $0[id] } }

    /// Main first, the others by their ids.
    var all: [PlayerAPI] {
        let all = players.withLock { Array($0.values) }
        return all.sorted { ($0.path.isMain ? "" : $0.path.id) < ($1.path.isMain ? "" : $1.path.id) }
    }

    func add(_ player: PlayerAPI) {
        players.withLock { $0[player.path.id] = player }
    }

    func remove(_ id: String) -> PlayerAPI? {
        players.withLock { $0.removeValue(forKey: id) }
    }

    /// Whose a request's path is, and the path in that player's table; nil when there is no such player. What is no
    /// player's is in main's table.
    func find(_ path: String) -> (player: PlayerAPI, route: String)? {
        let (id, route) = PlayerPath.split(path)
        return self[id ?? PlayerPath.main.id].map { ($0, route) }
    }
}
