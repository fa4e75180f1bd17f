// SPDX-License-Identifier: Apache-2.0

import Catalogue
import Playback

/// How addresses become items.
struct AddingRules: Hashable, Sendable {
    /// False refuses an address that comes to more than one item.
    var expands = true
    /// Leaves out an address that cannot be played and goes on with the others.
    var skipsFaults = false
    /// Opens the first few media, so that one that cannot be played is refused before anything else ends for it.
    var checks = false
    /// Takes a file that is not there now: it may be there when its turn comes.
    var keepsMissing = false
}

/// The items that addresses came to.
struct ResolvedItems: Sendable {
    var items: [ItemDraft] = []
    /// A folder, a list or something of the library held more than was taken.
    var isTruncated = false
    /// The first ones that were left out.
    var skipped: [ItemFault] = []
    var skippedCount = 0

    static let mostSkipped = 100

    mutating func skip(_ fault: ItemFault) {
        skippedCount += 1
        if skipped.count < Self.mostSkipped { skipped.append(fault) }
    }
}

/// Why an address was refused.
struct ItemFault: Error, Sendable {
    enum Cause: Sendable {
        case media(MediaError)
        case catalogue(CatalogueError)
        case playlist(PlaylistError, PlaylistID)
        case noLibrary
        case noPlaylists
        /// More than one item, where one is wanted.
        case severalItems
        /// All items together exceed so many bytes.
        case tooLarge(bytes: Int)
        /// Nobody waits for the result.
        case cancelled
    }

    /// Place of the address in the request.
    var index: Int
    /// `uri`, `folder`, ...
    var member: String
    var cause: Cause
}
