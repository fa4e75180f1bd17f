// SPDX-License-Identifier: Apache-2.0

public import Playback

/// The part of a player that the API uses. It exists so that every route can be tested with a scripted player, without
/// engine, output or decoder. Any thread; no member blocks.
public protocol PlayerControl: Sendable {
    /// The newest published state.
    var snapshot: PlayerSnapshot { get }
    /// `reply` comes exactly once, from any thread, within 1 s; within 5 s if a hanging disk has to save the change.
    func perform(
        _ command: PlayerCommand, reply: @escaping @Sendable (Result<PlayerSnapshot, PlaybackError>) -> Void)
    /// Calls back on the player's thread. Returns false, without a call, if the player has ended.
    func ping(_ answer: @escaping @Sendable () -> Void) -> Bool
    func queueWindow(offset: Int, limit: Int) -> QueueWindow
    func queueItem(_ id: ItemID) -> (item: QueueItem, index: Int, revision: QueueRevision)?
    /// Copies the sound before the volume to `tap`; nil ends that.
    func listen(_ tap: SoundTap?)
    /// The audible frame, as its index in the tap.
    var outputClock: OutputClock { get }
}

extension Player: PlayerControl {
    func perform(_ command: PlayerCommand) { perform(command) { _ in } }
}

extension HostedPlayer: PlayerControl {}
