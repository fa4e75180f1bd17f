// SPDX-License-Identifier: Apache-2.0

import Catalogue
import HTTP

/// A playlist's entity tag. Revisions are kept with the list, so that it holds through restarts.
struct PlaylistTag {
    var id: PlaylistID
    var revision: UInt64

    var text: String { "\"\(id).\(revision)\"" }

    /// The revision that `If-Match` asks for; nil when any will do.
    static func expectedRevision(_ id: PlaylistID, _ headers: HTTPHeaders) throws(Problem) -> UInt64? {
        let fields = headers.values("If-Match")
        guard !fields.isEmpty else { return nil }
        for tag in EntityTags.list(fields) {
            if tag == "*" { return nil }
            let parts = tag.drop { $0 == "\"" }.reversed().drop { $0 == "\"" }.reversed().split(separator: ".")
            if parts.count == 2, String(parts[0]) == id.description, let revision = UInt64(String(parts[1])) {
                return revision
            }
        }
        // None that this list ever had: no revision is 0.
        return 0
    }
}
