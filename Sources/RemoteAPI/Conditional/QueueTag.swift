// SPDX-License-Identifier: Apache-2.0

import HTTP
import Playback

/// The queue's entity tag: the server's run, the revision, and what is current (a window shows that as well).
/// `If-Match` looks at the revision alone.
struct QueueTag {
    var epoch: String
    var revision: QueueRevision
    var current: ItemID?

    init(epoch: String, revision: QueueRevision, current: ItemID?) {
        self.epoch = epoch
        self.revision = revision
        self.current = current
    }

    init(epoch: String, _ snapshot: PlayerSnapshot) {
        self.init(epoch: epoch, revision: snapshot.queueRevision, current: snapshot.item?.item.id)
    }

    var text: String { "\"\(epoch).\(revision).\(current?.description ?? "none")\"" }

    /// The revision that `If-Match` asks for; nil when any will do.
    func expectedRevision(_ headers: HTTPHeaders) throws(Problem) -> QueueRevision? {
        let fields = headers.values("If-Match")
        guard !fields.isEmpty else { return nil }
        for tag in EntityTags.list(fields) {
            if tag == "*" { return nil }
            if matchesRevision(tag) { return revision }
        }
        throw .revisionMismatch([("ETag", text)])
    }

    /// Strong comparison (RFC 9110 section 8.8.3.2): a weak tag never matches.
    private func matchesRevision(_ tag: Substring) -> Bool {
        guard tag.count > 2, tag.hasPrefix("\""), tag.hasSuffix("\"") else { return false }
        let parts = tag.dropFirst().dropLast().split(separator: ".", omittingEmptySubsequences: false)
        return parts.count >= 2 && parts[0] == epoch && parts[1] == String(revision)
    }
}

enum EntityTags {
    /// The tags of an `If-Match` or `If-None-Match` field. Our own tags contain no comma.
    static func list(_ fields: [String]) -> [Substring] {
        fields.flatMap { $0.split(separator: ",").map { $0.trimmingASCIISpace() } }
    }

    /// `If-None-Match`, by weak comparison (RFC 9110 section 13.1.2).
    static func noneMatchFails(_ headers: HTTPHeaders, _ tag: String) -> Bool {
        list(headers.values("If-None-Match")).contains { $0 == "*" || $0 == tag || $0 == "W/" + tag }
    }
}
