// SPDX-License-Identifier: Apache-2.0

import Playback
import Service

/// Where a client finds the parts of a player's items, and the references that play them again.
struct ItemLinks: Sendable {
    let path: PlayerPath
    let sealed: SealedAddresses
}

extension SealedAddresses {
    /// nil where the `uri` that is shown plays the item again.
    func needed(for draft: ItemDraft) -> String? {
        let hidesNothing = draft.headers.isEmpty && PublicURI.text(draft.uri) == draft.uri
        return hidesNothing ? nil : reference(to: draft)
    }
}

extension JSONWriter {
    /// Only what is not the usual.
    mutating func members(of source: ItemSource?, reference: String?) {
        if let reference { member("reference", reference) }
        if let source {
            member("source") { writer in
                writer.member("type", source.kind.rawValue)
                writer.member("id", [.list, .podcast].contains(source.kind) ? PublicURI.text(source.id) : source.id)
                writer.member("name", source.name)
            }
        }
    }
}
