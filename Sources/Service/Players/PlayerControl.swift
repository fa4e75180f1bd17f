// SPDX-License-Identifier: Apache-2.0

public import Playback

/// The part of a player that the API uses. It exists so that every route can be tested against a scripted player,
/// without an engine, an output or a decoder. All members may be called from any thread and never block.
public protocol PlayerControl: Sendable {
    /// The newest published state.
    var snapshot: PlayerSnapshot { get }
    /// `reply` comes exactly once, from any thread, within 1 s; within 5 s where a disk that hangs has to keep the change.
    func perform(
        _ command: PlayerCommand, reply: @escaping @Sendable (Result<PlayerSnapshot, PlaybackError>) -> Void)
    /// Calls back on the player's thread. False, and no call, when the player is down.
    func ping(_ answer: @escaping @Sendable () -> Void) -> Bool
    func queueWindow(offset: Int, limit: Int) -> QueueWindow
    func queueItem(_ id: ItemID) -> (item: QueueItem, index: Int, revision: QueueRevision)?
    /// Has what is heard copied for `tap`, before the volume; nil ends that.
    func listen(_ tap: SoundTap?)
    /// The frame that is heard at this moment, as its index in the tap.
    var outputClock: OutputClock { get }
}

extension PlayerControl {
    /// Where nothing sounds.
    public func listen(_ tap: SoundTap?) {}
    public var outputClock: OutputClock {
        OutputClock(ringIndex: 0, isAdvancing: false, sampledAt: .now, latency: 0)
    }
}

extension Player: PlayerControl {}
extension HostedPlayer: PlayerControl {}
