// SPDX-License-Identifier: Apache-2.0

import Kernel
import Synchronization

/// The players by id. Any thread.
final class PlayerTable: Sendable {
    private struct State {
        var players: [String: PlayerAPI] = [:]
        /// Players that are ending.
        var dismissed: [String: PlayerAPI] = [:]
        /// Connections with the events of every player.
        var feeds: [ObjectIdentifier: EventFeed] = [:]
        /// Makes the thread of the event channel call `tick`; nil without one.
        var wake: (@Sendable () -> Void)?
    }

    private let state = Mutex(State())
    /// The number of the latest recorded event of any player. Locked before a hub's lock, until the event is in every
    /// outbox.
    let sequence = Mutex<UInt64>(0)

    subscript(id: String) -> PlayerAPI? { state.withLock { $0.players[id] } }

    /// main first, the others by id.
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

    /// From now on the feed gets new players.
    /// - Returns: the channels of the present players.
    func join(_ feed: EventFeed) -> [EventHub] {
        state.withLock { $0.feeds[ObjectIdentifier(feed)] = feed }
        return all.map(\.hub)
    }

    func leave(_ feed: EventFeed) {
        _ = state.withLock { $0.feeds.removeValue(forKey: ObjectIdentifier(feed)) }
    }

    /// Removes the player's paths.
    func dismiss(_ id: String) -> PlayerAPI? {
        state.withLock { state in
            guard let player = state.players.removeValue(forKey: id) else { return nil }
            state.dismissed[id] = player
            return player
        }
    }

    func conclude(_ id: String) -> PlayerAPI? { state.withLock { $0.dismissed.removeValue(forKey: id) } }

    /// Also for a player that is ending.
    func channel(of id: String) -> PlayerAPI? { state.withLock { $0.players[id] ?? $0.dismissed[id] } }

    // MARK: Time

    func setWake(_ wake: @escaping @Sendable () -> Void) { state.withLock { $0.wake = wake } }

    /// An event may be due earlier.
    func wakeTimer() { state.withLock { $0.wake }?() }

    /// On the thread of the event channel: sends due events of every channel. Returns the time of the next call.
    func tick() -> MonotonicTime? {
        let all = state.withLock { Array($0.players.values) + $0.dismissed.values }
        return all.compactMap { $0.hub.tick() }.min()
    }

    /// The player of a request's path, and the path in its routes; nil if there is no such player. main's routes
    /// include the server's.
    func find(_ path: String) -> (player: PlayerAPI, route: String)? {
        let (id, route) = PlayerPath.split(path)
        return self[id ?? PlayerPath.main.id].map { ($0, route) }
    }
}
