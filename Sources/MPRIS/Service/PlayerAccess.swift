// SPDX-License-Identifier: Apache-2.0

public import Playback

/// The part of a player that the desktop sees. It exists so that every method and signal can be tested against a
/// scripted player and without a bus. All members may be called from any thread and never block.
public protocol PlayerAccess: Sendable {
    var snapshot: PlayerSnapshot { get }
    /// As `Player.perform`; from any thread.
    func perform(
        _ command: PlayerCommand, reply: @escaping @Sendable (Result<PlayerSnapshot, PlaybackError>) -> Void)
    /// Adds what an address comes to; `reply` comes once that is known, or with the reason why it is refused. From any thread.
    func add(
        _ addition: MPRISAddition, reply: @escaping @Sendable (Result<PlayerSnapshot, PlaybackError>) -> Void)
    func queueWindow(offset: Int, limit: Int) -> QueueWindow
    func queueItem(_ id: ItemID) -> (item: QueueItem, index: Int, revision: QueueRevision)?
}

/// An address that a client of the bus wants in the queue.
public struct MPRISAddition: Hashable, Sendable {
    public var uri: String
    public var place: InsertionPoint
    /// The revision that the queue must have; nil: any.
    public var expected: QueueRevision?
    public var play: Bool

    public init(uri: String, place: InsertionPoint, expected: QueueRevision? = nil, play: Bool) {
        self.uri = uri
        self.place = place
        self.expected = expected
        self.play = play
    }
}
