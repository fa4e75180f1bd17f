// SPDX-License-Identifier: Apache-2.0

public import Kernel

/// Stores the state that must survive the process. Declared here so that the player does not depend on a database.
public protocol PlayerStore: Sendable {
    /// The state as last saved; empty in a new store. Called once, before the player starts; may block.
    ///
    /// The player then opens the item that `SavedPlayer.first` names. The store marks that item before it returns, and
    /// keeps the mark until `.opened` is saved: an item that is still marked at the next start has ended the process.
    func load() -> SavedPlayer

    /// Appends changes, in order, and returns at once. `completion` is called from the store's thread once the changes
    /// would survive the death of this process, or with the failure for which all of them were discarded.
    func save(_ changes: [SavedChange], completion: @escaping @Sendable (_ failure: SaveFailure?) -> Void)
}

/// The failure of a save.
public struct SaveFailure: Error, Hashable, Sendable {
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
    /// The next item number; above every number ever used.
    public var nextItemNumber: UInt64 = 1
    public var settings = PlayerSettings()
    public var current: SavedPosition?
    /// Values of other components, saved by name next to the player's state.
    public var notes: [String: String] = [:]
    /// The item that was being opened when the last process died.
    public var unopened: ItemID?

    public init() {}

    /// The item that the player opens when it starts.
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
    /// `revision` and `nextItemNumber`: the values after the change.
    case queue(QueueChange, revision: QueueRevision, nextItemNumber: UInt64)
    case settings(PlayerSettings)
    case position(SavedPosition?)
    case note(String, String)
    /// The player is opening this item at its start.
    case opening(ItemID)
    /// The process has survived the opening.
    case opened
}

/// The player's clock. Declared here so that tests can control it.
public protocol PlayerClock: Sendable {
    var now: MonotonicTime { get }
    /// Milliseconds since the Unix epoch, for what people and clients see.
    var wallMilliseconds: Int64 { get }
}
