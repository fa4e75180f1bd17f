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

    /// The `change` of a `queue` event: what an event can carry for a batch of any size. `index`: where it begins; nil when it
    /// concerns the whole queue. `ids`: the first ones concerned.
    mutating func members(of change: QueueChange) {
        func write(_ kind: String, _ index: Int?, _ count: Int, _ ids: some Sequence<ItemID>) {
            member("kind", kind)
            member("index", index)
            member("count", count)
            member("ids", texts: ids.prefix(Self.mostQueueIDs).map(\.description))
        }
        switch change {
        case .inserted(let items, let index): write("inserted", index, items.count, items.lazy.map(\.id))
        case .removed(let removed):
            write("removed", removed.first?.index, removed.count, removed.lazy.map(\.item.id))
        case .restored(let restored):
            write("restored", restored.first?.index, restored.count, restored.lazy.map(\.item.id))
        case .moved(let ids, _, let targets): write("moved", targets.first, ids.count, ids)
        case .reordered(_, let ids): write("reordered", nil, ids.count, ids)
        case .replaced(_, let items): write("replaced", nil, items.count, items.lazy.map(\.id))
        case .updated(_, let item): write("updated", nil, 1, [item.id])
        }
    }

    static let mostQueueIDs = 100
}
