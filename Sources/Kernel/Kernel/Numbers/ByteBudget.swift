// SPDX-License-Identifier: Apache-2.0

/// The bytes that the server keeps for its clients, and their limit. Everything that grows with client input is counted
/// by one of these.
public struct ByteBudget: Sendable {
    public let limit: Int
    public private(set) var used = 0

    public init(limit: Int) { self.limit = limit }

    private init(megabytes: Int) { self.init(limit: megabytes << 20) }

    /// The items of all queues of a server.
    public static var queue: ByteBudget { ByteBudget(megabytes: 64) }
    /// Undo and redo of all queues of a server.
    public static var undo: ByteBudget { ByteBudget(megabytes: 64) }
    /// The entries of one saved playlist.
    public static var playlist: ByteBudget { ByteBudget(megabytes: 16) }
    /// Request bodies that are being read or wait for their response.
    public static var bodies: ByteBudget { ByteBudget(megabytes: 128) }
    /// Responses that are not sent yet.
    public static var answers: ByteBudget { ByteBudget(megabytes: 128) }

    /// The limit in whole megabytes, for messages.
    public var megabytes: Int { limit >> 20 }

    /// Takes all of the bytes, or none and returns false if they exceed the limit.
    public mutating func take(_ bytes: Int) -> Bool {
        guard bytes <= limit - used else { return false }
        used += bytes
        return true
    }

    public mutating func giveBack(_ bytes: Int) { used -= bytes }
}
