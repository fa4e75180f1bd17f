// SPDX-License-Identifier: Apache-2.0

public import Playback

/// The part of a player that the desktop sees. It exists so that every method and signal can be tested against a
/// scripted player and without a bus. All members may be called from any thread and never block.
public protocol PlayerAccess: Sendable {
    var snapshot: PlayerSnapshot { get }
    /// As `Player.perform`; from any thread.
    func perform(
        _ command: PlayerCommand, reply: @escaping @Sendable (Result<PlayerSnapshot, PlaybackError>) -> Void)
    func queueWindow(offset: Int, limit: Int) -> QueueWindow
    func queueItem(_ id: ItemID) -> (item: QueueItem, index: Int, revision: QueueRevision)?
}

extension Player: PlayerAccess {}
