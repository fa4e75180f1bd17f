// SPDX-License-Identifier: Apache-2.0

import Service
import Playback

/// Players come and go, one at a time.
extension RemoteAPI {
    /// From here on the player's paths answer.
    func admit(_ id: String, _ control: any PlayerControl, announcer: Announcer? = nil) {
        // One that has the id of an earlier player has events and revisions of its own.
        let epoch = "\(main.context.epoch)-\(id)-\(admitted.add(1, ordering: .relaxed).newValue)"
        let verbs = PlayerService(id, control, announcer: announcer, server: main.context.server)
        let context = PlayerContext(verbs, epoch: epoch, clock: main.context.clock, players: players)
        let path = context.path
        let hub = EventHub(context, server: server)
        // The session is nobody's own, and no path of a player leads to it; but each channel knows its commands.
        let routes =
            PlayerAPI.routes(context, hub) + [playersRoutes.removal(of: path)]
            + SessionRoutes(context: context).routes
        players.add(PlayerAPI(context, hub: hub, routes))
        regroup([id] + [control.snapshot.settings.leader].compactMap { $0 })
    }

    /// Notifies every channel of a player that was admitted and is ready.
    func announce(_ id: String) {
        if let player = players[id] { report(.added, player) }
    }

    /// From here on there is no such player. Its channel carries its last events until `conclude`.
    func dismiss(_ id: String) {
        guard let player = players.dismiss(id) else { return }
        regroup([player.context.player.snapshot.settings.leader].compactMap { $0 })
    }

    /// Notifies every channel, its own last of all.
    func conclude(_ id: String) {
        guard let player = players.conclude(id) else { return }
        report(.removed, player, last: player.hub)
        player.hub.retire("The player was removed.")
    }

    private func report(_ change: ReportedChange, _ player: PlayerAPI, last: EventHub? = nil) {
        let data = JSONWriter.object { writer in
            writer.member("change", change.rawValue)
            writer.member("id", player.path.id)
            writer.member("name", player.context.player.snapshot.settings.name)
        }
        for hub in players.all.map(\.hub) + [last].compactMap(\.self) { hub.report(.players, encoded: data) }
    }

    func receive(_ event: PlayerEvent, of player: PlayerAPI) {
        player.hub.receive(event)
        guard case .settings(let settings) = event.kind else { return }
        let (isRenamed, leaders) = player.changes(settings)
        if isRenamed { report(.changed, player) }
        regroup(leaders)
        // It shows those of its leader.
        if leaders.contains(where: hasTimersOfGroup) { reportTimers(player) }
    }

    private func hasTimersOfGroup(_ leader: String) -> Bool {
        main.context.server.parts.timers?.timers(of: leader).contains(where: \.concernsGroup) ?? false
    }

    /// Reports the followers of these players where they have changed.
    private func regroup(_ leaders: [String]) {
        for leader in leaders.compactMap({ players[$0] })
        where leader.context.followers.refresh(of: leader.path, players) {
            leader.hub.report(.settings) { [leader] writer in
                let context = leader.context
                writer.settingsMembers(of: context.player.snapshot.settings, followers: context.followers.ids)
            }
        }
    }
}

private enum ReportedChange: String {
    case added, removed
    /// It has another name.
    case changed
}
