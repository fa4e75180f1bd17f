// SPDX-License-Identifier: Apache-2.0

public import Announcing
public import Playback

/// Players come and go; the roster tells of them, one at a time.
extension RemoteAPI {
    /// For main's `Player.observe`.
    public func observe(_ event: PlayerEvent) { receive(event, of: main) }

    /// Letters, digits and hyphens, at most 32.
    public static func isPlayerID(_ text: String) -> Bool { PlayerPath.isID(text) }

    /// From here on the player's paths answer. What its announcer tells is told in its channel.
    /// - Returns: for its `Player.observe`.
    public func admit(
        _ id: String, _ control: any PlayerControl, announcer: Announcer? = nil
    ) -> @Sendable (PlayerEvent) -> Void {
        let path = PlayerPath(id: id)
        var services = main.services
        services.path = path
        services.player = control
        services.announcer = announcer
        services.followers = Followers()
        services.snapshots = SnapshotCache(
            path, player: control, followers: services.followers, clock: services.clock)
        // One that has the id of an earlier player has events and revisions of its own.
        services.epoch += "-\(id)-\(admitted.add(1, ordering: .relaxed).newValue)"
        let hub = EventHub(services, server: server)
        // The session is nobody's own, and no path of a player leads to it; but each channel knows its commands.
        let routes =
            PlayerAPI.routes(services, hub) + [playersRoutes.removal(of: path)]
            + SessionRoutes(services: services).routes
        let player = PlayerAPI(services, hub: hub, routes)
        players.add(player)
        regroup([id] + [control.snapshot.settings.leader].compactMap { $0 })
        announcer?.observe { hub.receive($0) }
        return { [weak self] in self?.receive($0, of: player) }
    }

    /// Tells every channel of a player that was admitted and is ready.
    public func announce(_ id: String) {
        guard let player = players[id] else { return }
        tell(.added, player)
    }

    /// From here on there is no such player. Its channel tells what it still says until `conclude`.
    public func dismiss(_ id: String) -> DismissedPlayer? {
        guard let player = players.remove(id) else { return nil }
        regroup([player.services.player.snapshot.settings.leader].compactMap { $0 })
        return DismissedPlayer(player: player)
    }

    /// Tells every channel, its own last of all.
    public func conclude(_ dismissed: DismissedPlayer) {
        tell(.removed, dismissed.player)
        dismissed.player.hub.tell(.removed, dismissed.player.path, name: dismissed.name, last: true)
    }

    private func tell(_ change: PlayerChange, _ player: PlayerAPI) {
        let name = player.services.player.snapshot.settings.name
        for other in players.all { other.hub.tell(change, player.path, name: name) }
    }

    private func receive(_ event: PlayerEvent, of player: PlayerAPI) {
        player.hub.receive(event)
        guard case .settings(let settings) = event.kind else { return }
        let (isRenamed, leaders) = player.changes(settings)
        if isRenamed { tell(.changed, player) }
        regroup(leaders)
    }

    /// Reports the followers of these players where they have changed.
    private func regroup(_ leaders: [String]) {
        for leader in leaders.compactMap({ players[$0] })
        where leader.services.followers.refresh(of: leader.path, players) {
            leader.hub.reportSettings()
        }
    }
}

/// A player that has left the table, while its end is still told.
public struct DismissedPlayer: Sendable {
    let player: PlayerAPI
    var name: String { player.services.player.snapshot.settings.name }
}
