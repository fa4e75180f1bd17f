// SPDX-License-Identifier: Apache-2.0

import Playback
import Synchronization

/// The remote API of one player: shared parts of its handlers, its routes and its channel.
final class PlayerAPI: Sendable {
    let path: PlayerPath
    let context: PlayerContext
    let hub: EventHub
    let router: Router
    let commands: CommandTable
    /// The last reported values, to detect changes.
    private let reported: Mutex<(name: String, leader: String?)>

    /// `server`: of `hello`. `others`: routes beside those of every player.
    init(_ context: PlayerContext, server: String, _ others: [Route] = []) {
        path = context.path
        self.context = context
        hub = EventHub(context, server: server)
        // The session belongs to the server and has no path below a player, but every channel accepts its commands.
        let routes = Self.routes(context, hub) + context.sessionRoutes + others
        router = Router(routes)
        commands = CommandTable(routes)
        let settings = context.player.snapshot.settings
        reported = Mutex((settings.name, settings.leader))
    }

    /// The routes of every player below `/players/{player}`.
    static func routes(_ context: PlayerContext, _ hub: EventHub) -> [Route] {
        context.playerRoutes + context.queueRoutes + context.itemMediaRoutes + context.outputRoutes
            + context.effectRoutes + context.announcementRoutes + context.timerRoutes + context.renderRoutes
            + context.playlistRoutes + context.streamRoutes
            + [EventChannel.route(hub, context.players), context.removal]
    }

    /// Whether a change of the settings changed the name, and the leaders whose groups it changes.
    func changes(_ settings: PlayerSettings) -> (isRenamed: Bool, leaders: [String]) {
        reported.withLock { last in
            defer { last = (settings.name, settings.leader) }
            let leaders = last.leader == settings.leader ? [] : [last.leader, settings.leader].compactMap { $0 }
            return (last.name != settings.name, leaders)
        }
    }
}
