// SPDX-License-Identifier: Apache-2.0

import HTTP
import Playback
import Service

/// The queue's entity tag: the server's run, the revision, what is current (a window shows that as well), and the
/// catalogue's revision, from which a window has tags.
/// `If-Match` looks at the revision alone.
struct QueueTag {
    var epoch: String
    var revision: QueueRevision
    var current: ItemID?
    /// nil without a catalogue.
    var catalogue: UInt64?

    var tag: EntityTag {
        let tags = catalogue.map { ".\($0)" } ?? ""
        return EntityTag("\(epoch).\(revision).\(current?.description ?? "none")\(tags)")
    }

    /// The revision that these fields of `If-Match` ask for; nil when any will do.
    func expectedRevision(_ fields: [String]) throws(Problem) -> QueueRevision? {
        guard !fields.isEmpty else { return nil }
        switch EntityTagCondition(parsing: fields.joined(separator: ",")) {
        case .any?: return nil
        case .tags(let tags)? where tags.contains(where: matchesRevision): return revision
        case .tags?, nil:
            throw Problem(
                .stale, "revision-mismatch",
                "The queue has another revision by now: read it again and repeat the change."
            ).with("ETag", tag.description)
        }
    }

    /// Strong comparison (RFC 9110 section 8.8.3.2): a weak tag never matches.
    private func matchesRevision(_ tag: EntityTag) -> Bool {
        let parts = tag.value.split(separator: ".", omittingEmptySubsequences: false)
        return !tag.isWeak && parts.count >= 2 && parts[0] == epoch && parts[1] == String(revision)
    }
}

extension QueueTag {
    init(epoch: String, _ snapshot: PlayerSnapshot) {
        self.init(epoch: epoch, revision: snapshot.queueRevision, current: snapshot.item?.item.id)
    }
}
