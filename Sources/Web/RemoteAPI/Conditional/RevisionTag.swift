// SPDX-License-Identifier: Apache-2.0

import HTTP
import Playback
import Service

/// The entity tag of a queue or playlist: its epoch or id, its revision, and other parts of the answer. `If-Match`
/// compares only the revision.
enum RevisionTag {
    /// Revisions are saved with the list, so that `If-Match` survives restarts. `texts`: the version of the catalogue's
    /// texts in the answer.
    static func of(_ list: PlaylistID, _ revision: UInt64, texts: String = "") -> EntityTag {
        EntityTag("\(list).\(revision)\(texts)")
    }

    /// Includes the current item, as a window shows it. `catalogue`: the revision of the catalogue whose tags the
    /// window shows.
    static func of(
        _ epoch: String, _ revision: QueueRevision, current: ItemID?, catalogue: UInt64? = nil
    ) -> EntityTag {
        let tags = catalogue.map { ".\($0)" } ?? ""
        return EntityTag("\(epoch).\(revision).\(current?.description ?? "none")\(tags)")
    }

    /// The revisions in these `If-Match` fields; nil if any will do. Strong comparison (RFC 9110 section 8.8.3.2): a
    /// weak tag never matches.
    static func revisions(in fields: [String], of subject: String) -> [UInt64]? {
        guard !fields.isEmpty else { return nil }
        switch EntityTagCondition(parsing: fields.joined(separator: ",")) {
        case .any?: return nil
        case nil: return []
        case .tags(let tags)?:
            return tags.compactMap { tag in
                let parts = tag.value.split(separator: ".", omittingEmptySubsequences: false)
                guard !tag.isWeak, parts.count >= 2, parts[0] == subject else { return nil }
                return UInt64(parts[1]).flatMap { String($0) == parts[1] ? $0 : nil }
            }
        }
    }
}
