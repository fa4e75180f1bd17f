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
    /// The first ones that were left out.
    public internal(set) var skipped: [ItemFault] = []
    public internal(set) var skippedCount = 0

    static let mostSkipped = 100

    mutating func skip(_ fault: ItemFault) { skip([fault], count: 1) }

    /// `faults`: the first ones.
    mutating func skip(_ faults: [ItemFault], count: Int) {
        skippedCount += count
        skipped += faults.prefix(max(0, Self.mostSkipped - skipped.count))
    }

    /// A list is not replaced when nothing of the new one can be played.
    func checkRest() throws(Problem) {
        if items.isEmpty, let fault = skipped.first { throw Problem(fault) }
    }
}

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
