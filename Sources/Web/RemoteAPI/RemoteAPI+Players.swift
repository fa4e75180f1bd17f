// SPDX-License-Identifier: Apache-2.0

import Service
import Playback

/// Adding and removing players, one at a time.
extension RemoteAPI {
    /// Adds the player's routes and channel.
    func admit(_ id: String, _ control: any PlayerControl, announcer: Announcer? = nil) {
        // The epoch differs from that of an earlier player with the same id, so events and revisions are distinct.
        let epoch = "\(main.context.epoch)-\(id)-\(admitted.add(1, ordering: .relaxed).newValue)"
        let verbs = PlayerService(id, control, announcer: announcer, server: main.context.server)
        let context = PlayerContext(verbs, epoch: epoch, clock: main.context.clock, players: players)
        players.add(PlayerAPI(context, server: server))
        regroup([id] + [control.snapshot.settings.leader].compactMap { $0 })
    }

    /// Notifies every channel of a player that was admitted and is ready.
    func announce(_ id: String) {
        if let player = players[id] { report(.added, player) }
    }

    /// Removes the player's routes. Its channel carries its last events until `conclude`.
    func dismiss(_ id: String) {
        guard let player = players.dismiss(id) else { return }
        regroup([player.context.player.snapshot.settings.leader].compactMap { $0 })
    }

    /// Notifies every channel, the player's own last, and ends the player's.
    func conclude(_ id: String) {
        guard let player = players.conclude(id) else { return }
        report(.removed, player, last: player.hub)
        player.hub.retire("The player was removed.")
    }

    private enum Change: String { case added, removed, renamed = "changed" }

    private func report(_ change: Change, _ player: PlayerAPI, last: EventHub? = nil) {
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
        if isRenamed { report(.renamed, player) }
        regroup(leaders)
        // A follower shows its leader's timers.
        if leaders.contains(where: hasTimersOfGroup) { reportTimers(player) }
    }

    private func hasTimersOfGroup(_ leader: String) -> Bool {
        main.context.server.parts.timers?.timers(of: leader).contains(where: \.isListedByFollowers) ?? false
    }

    /// Reports changes of these players' followers.
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
