// SPDX-License-Identifier: Apache-2.0

import Synchronization

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
