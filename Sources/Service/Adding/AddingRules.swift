// SPDX-License-Identifier: Apache-2.0

public import Playback

/// Options for turning addresses into items.
public struct AddingRules: Hashable, Sendable {
    /// False refuses an address that yields more than one item.
    public var expands: Bool
    /// Leaves out addresses that cannot be played, and adds the others.
    public var skipsFaults: Bool
    /// Opens the first few items, so that one that cannot be played is refused before the current music ends.
    public var checks: Bool

    public init(expands: Bool = true, skipsFaults: Bool = false, checks: Bool = false) {
        self.expands = expands
        self.skipsFaults = skipsFaults
        self.checks = checks
    }
}

/// The items found at the addresses of a request.
public struct ResolvedItems: Sendable {
    public internal(set) var items: [ItemDraft] = []
    /// A folder, list or library entry contains more than was added.
    public internal(set) var isTruncated = false
    public internal(set) var skipped = SkippedFaults<ItemFault>()

    /// Refuses to replace a list if none of the new items can be played.
    func checkRest() throws(Problem) {
        if items.isEmpty, let fault = skipped.faults.first { throw Problem(fault) }
    }
}

/// The faults of the items that were left out.
public struct SkippedFaults<Fault: Sendable>: Sendable {
    /// The first ones.
    public private(set) var faults: [Fault] = []
    public private(set) var count = 0

    mutating func add(_ fault: Fault) { add([fault], count: 1) }

    /// `faults`: the first ones.
    mutating func add(_ faults: [Fault], count: Int) {
        self.count += count
        self.faults += faults.prefix(max(0, 100 - self.faults.count))
    }
}

extension SkippedFaults: Equatable where Fault: Equatable {}
extension SkippedFaults: Hashable where Fault: Hashable {}

/// Why an address was refused.
public struct ItemFault: Error, Sendable {
    public enum Cause: Sendable {
        case media(MediaError)
        case catalogue(CatalogueError)
        case playlist(PlaylistError, PlaylistID)
        case unknown(id: String)
        case noLibrary
        case noPlaylists
        /// More than one item where one is expected.
        case severalItems
        /// All items together exceed this number of bytes.
        case tooLarge(bytes: Int)
        /// More folders, lists and library entries than one request may name.
        case tooManyReferences(limit: Int)
        /// The look-ups of one request took longer than this number of seconds.
        case outOfTime(seconds: Int)
        /// The caller no longer waits for the result.
        case cancelled
    }

    /// Index of the address in the request.
    public var index: Int
    /// `uri`, `folder`, ...
    public var member: String
    public var cause: Cause
}
