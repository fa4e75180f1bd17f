// SPDX-License-Identifier: Apache-2.0

public import Playback

/// How addresses become items.
public struct AddingRules: Hashable, Sendable {
    /// False refuses an address that comes to more than one item.
    public var expands: Bool
    /// Leaves out an address that cannot be played and goes on with the others.
    public var skipsFaults: Bool
    /// Opens the first few media, so that one that cannot be played is refused before anything else ends for it.
    public var checks: Bool

    public init(expands: Bool = true, skipsFaults: Bool = false, checks: Bool = false) {
        self.expands = expands
        self.skipsFaults = skipsFaults
        self.checks = checks
    }
}

/// The items that addresses came to.
public struct ResolvedItems: Sendable {
    public internal(set) var items: [ItemDraft] = []
    /// A folder, a list or something of the library held more than was taken.
    public internal(set) var isTruncated = false
    public internal(set) var skipped = SkippedFaults<ItemFault>()

    /// A list is not replaced when nothing of the new one can be played.
    func checkRest() throws(Problem) {
        if items.isEmpty, let fault = skipped.faults.first { throw Problem(fault) }
    }
}

/// What was left out, and why.
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
        /// Nothing has this id.
        case unknown(id: String)
        case noLibrary
        case noPlaylists
        /// More than one item, where one is wanted.
        case severalItems
        /// All items together exceed so many bytes.
        case tooLarge(bytes: Int)
        /// More folders, lists and entries of the library than one request may name.
        case tooManyReferences(limit: Int)
        /// One request may look addresses up for so many seconds.
        case outOfTime(seconds: Int)
        /// Nobody waits for the result.
        case cancelled
    }

    /// Place of the address in the request.
    public var index: Int
    /// `uri`, `folder`, ...
    public var member: String
    public var cause: Cause
}
