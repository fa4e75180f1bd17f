// SPDX-License-Identifier: Apache-2.0

import Service
import Playback

extension JSONWriter {
    /// `GET /queue`: a window of it.
    mutating func members(of window: QueueWindow, _ details: [String: TrackDetails], _ links: ItemLinks) {
        member("revision", window.revision)
        member("length", window.length)
        member("currentIndex", window.currentIndex)
        member("offset", window.offset)
        member("items", objects: window.items) { $0.members(of: $1, details[$1.uri], links) }
    }

    /// What every change of the queue answers.
    mutating func queueMembers(of snapshot: PlayerSnapshot) {
        member("version", snapshot.version)
        member("revision", snapshot.queueRevision)
        member("length", snapshot.queueLength)
        member("currentIndex", snapshot.item?.index)
        member("canUndo", snapshot.canUndo)
        member("canRedo", snapshot.canRedo)
    }

    /// The `change` of a `queue` event.
    mutating func members(of change: QueueChange) {
        let summary = QueueChangeSummary(change)
        member("kind", summary.kind)
        member("index", summary.index)
        member("count", summary.count)
        member("ids", texts: summary.ids.map(\.description))
    }
}

/// A queue change in a few words: what an event can carry for a batch of any size.
struct QueueChangeSummary {
    static let maximumIDs = 100

    var kind: String
    /// Where it begins; nil when it concerns the whole queue.
    var index: Int?
    var count: Int
    /// The first ids concerned, at most `maximumIDs`.
    var ids: [ItemID]

    init(_ change: QueueChange) {
        switch change {
        case .inserted(let items, let index):
            self.init("inserted", index, items.count, items.prefix(Self.maximumIDs).map(\.id))
        case .removed(let removed):
            self.init(
                "removed", removed.first?.index, removed.count, removed.prefix(Self.maximumIDs).map(\.item.id))
        case .restored(let restored):
            self.init(
                "restored", restored.first?.index, restored.count, restored.prefix(Self.maximumIDs).map(\.item.id))
        case .moved(let ids, _, let targets):
            self.init("moved", targets.first, ids.count, Array(ids.prefix(Self.maximumIDs)))
        case .reordered(_, let ids):
            self.init("reordered", nil, ids.count, Array(ids.prefix(Self.maximumIDs)))
        case .replaced(_, let items):
            self.init("replaced", nil, items.count, items.prefix(Self.maximumIDs).map(\.id))
        case .updated(_, let item):
            self.init("updated", nil, 1, [item.id])
        }
    }

    private init(_ kind: String, _ index: Int?, _ count: Int, _ ids: [ItemID]) {
        self.kind = kind
        self.index = index
        self.count = count
        self.ids = ids
    }
}
