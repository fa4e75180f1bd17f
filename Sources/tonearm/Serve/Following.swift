// SPDX-License-Identifier: Apache-2.0

import Logging
import Playback
import Synchronization

/// Which players follow which, as their settings say. Any thread; never blocks.
final class Following: Sendable {
    private struct Link {
        var leader: String
        var follower: Follower
    }

    private struct State {
        var players: [String: Player] = [:]
        /// By the id of the one that follows.
        var links: [String: Link] = [:]
    }

    private let state = Mutex(State())
    private let log: Logger

    init(log: Logger) { self.log = log }

    func join(_ id: String, _ player: Player) {
        state.withLock { state in
            state.players[id] = player
            for other in state.players.keys { link(other, &state) }
        }
    }

    /// Before the player ends. Those who follow it go their own ways, from where they are.
    func leave(_ id: String) {
        let followers = state.withLock { state in
            state.players[id] = nil
            // At once: what the leader does at its end is nothing to follow.
            for (follower, link) in state.links where follower == id || link.leader == id {
                link.follower.stop()
                state.links[follower] = nil
            }
            return state.players.filter { $0.value.snapshot.settings.leader == id }.values
        }
        for player in followers { Self.setFree(player) }
    }

    /// Once all players are there: a leader that is not has been removed.
    func settle() {
        let astray = state.withLock { state in
            state.players.values.filter { player in
                player.snapshot.settings.leader.map { state.players[$0] == nil } ?? false
            }
        }
        for player in astray { Self.setFree(player) }
    }

    /// For `Player.observe`.
    func receive(_ event: PlayerEvent, of id: String) {
        state.withLock { state in
            if case .settings = event.kind { link(id, &state) }
            for (follower, link) in state.links where follower == id || link.leader == id {
                link.follower.somethingChanged()
            }
        }
    }

    /// Seconds by which the player was last measured behind the one that it follows; nil unless both sound.
    func offset(of id: String) -> Double? { state.withLock { $0.links[id]?.follower.offset } }

    private func link(_ id: String, _ state: inout State) {
        let wanted = state.players[id]?.snapshot.settings.leader
        guard wanted != state.links[id]?.leader else { return }
        state.links.removeValue(forKey: id)?.follower.stop()
        guard let wanted, wanted != id, let leader = state.players[wanted], let player = state.players[id] else {
            return
        }
        guard let follower = Follower(player, of: leader) else {
            log.error("no thread to follow with", metadata: ["player": "\(id)", "leader": "\(wanted)"])
            return
        }
        state.links[id] = Link(leader: wanted, follower: follower)
    }

    private static func setFree(_ player: Player) {
        var patch = SettingsPatch()
        patch.leader = .some(nil)
        player.perform(.apply(patch)) { _ in }
    }
}
