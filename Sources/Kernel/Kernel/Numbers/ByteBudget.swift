// SPDX-License-Identifier: Apache-2.0

/// Bytes that clients make the server keep, and the most that they may be. Everything that grows with what clients send is
/// counted by one of these.
public struct ByteBudget: Sendable {
    public let limit: Int
    public private(set) var used = 0

    public init(limit: Int) { self.limit = limit }

    private init(megabytes: Int) { self.init(limit: megabytes << 20) }

    /// The items of all queues of a server.
    public static var queue: ByteBudget { ByteBudget(megabytes: 64) }
    /// For undo and redo of all queues of a server.
    public static var undo: ByteBudget { ByteBudget(megabytes: 64) }
    /// The entries of one saved playlist.
    public static var playlist: ByteBudget { ByteBudget(megabytes: 16) }
    /// Request bodies that are read, or wait for their answer.
    public static var bodies: ByteBudget { ByteBudget(megabytes: 128) }
    /// Answers that are not sent yet.
    public static var answers: ByteBudget { ByteBudget(megabytes: 128) }

    /// In whole megabytes, for messages.
    public var megabytes: Int { limit >> 20 }

    /// False when there is no room for so many more: then none are taken.
    public mutating func take(_ bytes: Int) -> Bool {
        guard bytes <= limit - used else { return false }
        used += bytes
        return true
    }

    public mutating func giveBack(_ bytes: Int) { used -= bytes }
}
