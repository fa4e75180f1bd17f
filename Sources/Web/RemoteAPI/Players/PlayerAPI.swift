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
    /// As last reported, to see when they change.
    private let reported: Mutex<(name: String, leader: String?)>

    init(_ services: Services, hub: EventHub, _ routes: [Route]) {
        path = services.path
        self.services = services
        self.hub = hub
        router = Router(routes)
        commands = CommandTable(routes)
        let settings = services.player.snapshot.settings
        reported = Mutex((settings.name, settings.leader))
    }

    /// What every player has below `/players/{player}`, but for its removal.
    static func routes(_ services: Services, _ hub: EventHub) -> [Route] {
        PlayerRoutes(services: services).routes + QueueRoutes(services: services).routes
            + MediaRoutes(services: services).itemRoutes + OutputRoutes(services: services).routes
            + EffectRoutes(services: services).routes
            + AnnouncementRoutes(services: services).routes + TimerRoutes(services: services).routes
            + RenderRoutes(services: services).routes
            + RecordingRoutes.streamRoutes(services.verbs) + [EventChannel.route(hub, services.players)]
    }

    /// Whether a change of the settings was one of the name, and the leaders whose group it changes.
    func changes(_ settings: PlayerSettings) -> (isRenamed: Bool, leaders: [String]) {
        reported.withLock { last in
            defer { last = (settings.name, settings.leader) }
            let leaders = last.leader == settings.leader ? [] : [last.leader, settings.leader].compactMap { $0 }
            return (last.name != settings.name, leaders)
        }
    }
}

/// The players by id. Usable from any thread.
final class PlayerTable: Sendable {
    private struct State {
        var players: [String: PlayerAPI] = [:]
        /// Players that are being ended.
        var dismissed: [String: PlayerAPI] = [:]
        /// Connections that get the events of every player.
        var feeds: [ObjectIdentifier: EventFeed] = [:]
    }

    private let state = Mutex(State())
    /// The number of the latest recorded event of any player. Taken before a hub's lock, and held until the event is in
    /// every outbox.
    let sequence = Mutex<UInt64>(0)

    subscript(id: String) -> PlayerAPI? { state.withLock { $0.players[id] } }

    /// Main first, the others by their ids.
    var all: [PlayerAPI] {
        let all = state.withLock { Array($0.players.values) }
        return all.sorted { ($0.path.isMain ? "" : $0.path.id) < ($1.path.isMain ? "" : $1.path.id) }
    }

    func add(_ player: PlayerAPI) {
        let feeds = state.withLock { state in
            state.players[player.path.id] = player
            return Array(state.feeds.values)
        }
        for feed in feeds { feed.add(player.hub) }
    }

    /// From now on the feed learns of players that come.
    /// - Returns: the channels of those that are there.
    func join(_ feed: EventFeed) -> [EventHub] {
        state.withLock { $0.feeds[ObjectIdentifier(feed)] = feed }
        return all.map(\.hub)
    }

    func leave(_ feed: EventFeed) {
        _ = state.withLock { $0.feeds.removeValue(forKey: ObjectIdentifier(feed)) }
    }

    /// The player has no paths any more.
    func dismiss(_ id: String) -> PlayerAPI? {
        state.withLock { state in
            guard let player = state.players.removeValue(forKey: id) else { return nil }
            state.dismissed[id] = player
            return player
        }
    }

    func conclude(_ id: String) -> PlayerAPI? { state.withLock { $0.dismissed.removeValue(forKey: id) } }

    /// Also of a player that is being ended.
    func channel(of id: String) -> PlayerAPI? { state.withLock { $0.players[id] ?? $0.dismissed[id] } }

    /// Whose a request's path is, and the path in that player's table; nil when there is no such player. What is no
    /// player's is in main's table.
    func find(_ path: String) -> (player: PlayerAPI, route: String)? {
        let (id, route) = PlayerPath.split(path)
        return self[id ?? PlayerPath.main.id].map { ($0, route) }
    }
}

/// The players that follow one player. Usable from any thread.
final class Followers: Sendable {
    private let list = Mutex<[String]>([])

    var ids: [String] { list.withLock { $0 } }

    /// Reads the group from the players' settings.
    /// - Returns: whether it is another one.
    func refresh(of leader: PlayerPath, _ players: PlayerTable) -> Bool {
        list.withLock { list in
            let ids = players.all.filter { $0.services.player.snapshot.settings.leader == leader.id }.map(\.path.id)
            defer { list = ids }
            return ids != list
        }
    }
}
