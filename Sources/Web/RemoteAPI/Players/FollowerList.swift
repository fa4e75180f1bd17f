// SPDX-License-Identifier: Apache-2.0

import Synchronization

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
