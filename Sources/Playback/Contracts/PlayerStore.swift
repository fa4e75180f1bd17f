// SPDX-License-Identifier: Apache-2.0

public import Kernel

/// Keeps what must survive the process. Owned here so that the player does not know a database.
public protocol PlayerStore: Sendable {
    /// The state as last saved; an empty one for a new store. Called once, before the player starts; may block.
    ///
    /// The player then opens the item that `SavedPlayer.first` names. The store marks it before it returns and keeps the mark
    /// until `.opened` is saved: an item that is still marked at the next start has ended the process.
    func load() -> SavedPlayer

    /// Appends changes, in order. Returns at once; `completion` is called from the store's thread when they would
    /// survive the death of this process, with the reason when they could not be saved: then none of them is, and they
    /// are forgotten.
    func save(_ changes: [SavedChange], completion: @escaping @Sendable (_ failure: SaveFailure?) -> Void)
}

/// Why changes could not be saved.
public struct SaveFailure: Error, Hashable, Sendable {
    /// A sentence for users.
    public var reason: String
    public var isDiskFull: Bool

    public init(_ reason: String, isDiskFull: Bool = false) {
        self.reason = reason
        self.isDiskFull = isDiskFull
    }
}

public struct SavedPlayer: Sendable {
    public var items: [QueueItem] = []
    public var revision: QueueRevision = 0
    /// The next id to give; above every id ever given.
    public var nextItemNumber: UInt64 = 1
    public var settings = PlayerSettings()
    public var current: SavedPosition?
    /// Values of other parts, kept beside the player's state by names of their own.
    public var notes: [String: String] = [:]
    /// The item that was being opened when the last process died.
    public var unopened: ItemID?

    public init() {}

    /// The item that the player opens at its start.
    public var first: ItemID? { current?.itemID ?? items.first?.id }
}

public struct SavedPosition: Hashable, Sendable {
    public var itemID: ItemID
    /// Seconds into the item.
    public var position: Double

    public init(itemID: ItemID, position: Double) {
        self.itemID = itemID
        self.position = position
    }
}

public enum SavedChange: Sendable {
    /// With the revision and the next item number after it.
    case queue(QueueChange, revision: QueueRevision, nextItemNumber: UInt64)
    case settings(PlayerSettings)
    case position(SavedPosition?)
    case note(String, String)
    /// The player opens this item at its start.
    case opening(ItemID)
    /// The process has survived that.
    case opened
}

/// The player's time. Owned here so that tests move it by hand.
public protocol PlayerClock: Sendable {
    var now: MonotonicTime { get }
    /// Milliseconds since the Unix epoch, for what people and clients see.
    var wallMilliseconds: Int64 { get }
}
