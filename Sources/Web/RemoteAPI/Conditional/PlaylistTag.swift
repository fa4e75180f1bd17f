// SPDX-License-Identifier: Apache-2.0

import Service
import HTTP

/// A playlist's entity tag. Revisions are kept with the list, so that it holds through restarts.
struct PlaylistTag {
    var id: PlaylistID
    var revision: UInt64

    var tag: EntityTag { EntityTag("\(id).\(revision)") }

    /// The revision that `If-Match` asks for; nil when any will do.
    static func expectedRevision(_ id: PlaylistID, _ headers: HTTPHeaders) -> UInt64? {
        let fields = headers.values("If-Match")
        guard !fields.isEmpty else { return nil }
        // No revision is 0: none that this list ever had.
        switch EntityTagCondition(parsing: fields.joined(separator: ",")) {
        case .any?: return nil
        case .tags(let tags)?: return tags.lazy.compactMap { revision(of: id, $0) }.first ?? 0
        case nil: return 0
        }
    }

    /// Strong comparison (RFC 9110 section 8.8.3.2): a weak tag never matches.
    private static func revision(of id: PlaylistID, _ tag: EntityTag) -> UInt64? {
        let parts = tag.value.split(separator: ".", omittingEmptySubsequences: false)
        guard !tag.isWeak, parts.count == 2, String(parts[0]) == id.description else { return nil }
        return UInt64(parts[1])
    }
}
