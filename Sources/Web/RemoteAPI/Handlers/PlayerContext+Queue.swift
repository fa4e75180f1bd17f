// SPDX-License-Identifier: Apache-2.0

import HTTP
import Kernel
import Playback
import Service

/// `/queue`: reading it in windows and changing it in batches; every change honours `If-Match`.
extension PlayerContext {
    var queueRoutes: [Route] {
        let base = "/api/v1/queue"
        return [
            .get(base, query: ["offset", "limit"]) { call, reply throws(Problem) in try window(call, reply) },
            list("queue.replace", .put, base) { command, expected, reply throws(Problem) in
                add(try command.body.replacement(), command, expected, status: 200, reply)
            },
            list("queue.add", .post, base + "/items") { command, expected, reply throws(Problem) in
                add(try command.body.insertion(), command, expected, status: 201, reply)
            },
            list("queue.move", .post, base + "/move") { command, expected, reply throws(Problem) in
                edit(try command.body.move(), expected, reply)
            },
            list("queue.remove", .post, base + "/remove") { command, expected, reply throws(Problem) in
                edit(try command.body.removal(), expected, reply)
            },
            edit("queue.clear", .delete, base, .clear),
            edit("queue.shuffle", .post, base + "/shuffle", .shuffle),
            edit("queue.undo", .post, base + "/undo", .undo),
            edit("queue.redo", .post, base + "/redo", .redo),
        ] + itemRoutes
    }

    private var itemRoutes: [Route] {
        let pattern = "/api/v1/queue/items/{id}"
        return [
            .get(pattern) { call, reply throws(Problem) in
                let found = try verbs.item(try itemID(call.parameters[0]))
                verbs.withDetails(of: [found.item]) { reply(answer(found, $0)) }
            },
            .write(.patch, pattern) { call, reply throws(Problem) in
                let id = try itemID(call.parameters[0])
                let patch = try call.body.read(ItemPatch.self)
                let command = PlayerCommand.edit(
                    .update(id, patch), expected: try expectedRevision(call.command), play: false)
                verbs.perform(
                    command,
                    reply: answering(reply) { _ throws(Problem) in
                        let found = try verbs.item(id)
                        return answer(found, server.details.atHand([found.item]))
                    })
            },
            .delete(pattern) { call, reply throws(Problem) in
                let id = try itemID(call.parameters[0])
                edit(.remove([id]), try expectedRevision(call.command), reply)
            },
        ]
    }

    // MARK: Reading

    private func window(_ call: APICall, _ reply: @escaping Reply) throws(Problem) {
        let (offset, limit) = try call.query.window(of: Queue.maximumLength)
        let window = verbs.queueWindow(offset: offset, limit: limit)
        let current = player.snapshot.item?.item.id
        // Taken before the catalogue is read: a window may be newer than its tag, never older.
        let tag = RevisionTag.of(
            epoch, window.revision, current: current, catalogue: server.details.revision)
        if let response = call.request.notModified(tag) { return reply(response) }
        verbs.withDetails(of: window.items) { details in
            // Growing by doubling could waste as much memory again.
            let capacity = window.items.reduce(256) { $0 + 384 + $1.bytes }
            let bytes = JSONWriter.object(capacity: capacity) { $0.members(of: window, details, links) }
            reply(.content(bytes, "application/json", tag.fields()))
        }
    }

    private func answer(_ found: PlayerService.QueuedItem, _ details: [PathKey: TrackDetails]) -> HTTPResponse {
        .json { writer in
            writer.members(of: found.item, details[PathKey(found.item.uri)], links)
            writer.member("index", found.index)
            writer.member("revision", found.revision)
        }
    }

    // MARK: Changing

    private typealias ListHandler = @Sendable (Command, QueueRevision?, @escaping Reply) throws(Problem) -> Void

    /// A change with a possibly long list. `If-Match` is checked before the list is read.
    private func list(
        _ name: String, _ method: HTTPMethod, _ path: String, _ perform: @escaping ListHandler
    ) -> Route {
        let isCurrent: Route.Precondition = { call throws(Problem) in _ = try expectedRevision(call.command) }
        return .command(name, method, path, largestBody: Route.listBody, precondition: isCurrent) {
            command, reply throws(Problem) in
            try perform(command, try expectedRevision(command), reply)
        }
    }

    /// A change without members.
    private func edit(_ name: String, _ method: HTTPMethod, _ path: String, _ edit: QueueEdit) -> Route {
        .command(name, method, path) { command, reply throws(Problem) in
            _ = try command.body.members()
            self.edit(edit, try expectedRevision(command), reply)
        }
    }

    private func edit(_ edit: QueueEdit, _ expected: QueueRevision?, _ reply: @escaping Reply) {
        verbs.perform(
            .edit(edit, expected: expected, play: false),
            reply: answering(reply) { snapshot in .json([tag(snapshot)]) { $0.queueMembers(of: snapshot) } })
    }

    private func add(
        _ addition: Addition, _ command: Command, _ expected: QueueRevision?, status: Int, _ reply: @escaping Reply
    ) {
        var addition = addition
        addition.expected = expected
        verbs.add(addition, for: command.caller, reply: answering(reply) { added($0, status: status) })
    }

    private func expectedRevision(_ command: Command) throws(Problem) -> QueueRevision? {
        guard let asked = RevisionTag.revisions(in: command.expectedTags, of: epoch) else { return nil }
        let snapshot = player.snapshot
        guard asked.contains(snapshot.queueRevision) else {
            throw Problem(
                .stale, "revision-mismatch",
                "The queue has changed: read it again and repeat the change."
            ).with("ETag", tag(snapshot).1)
        }
        return snapshot.queueRevision
    }

    private func added(_ added: AddedItems, status: Int) -> HTTPResponse {
        let (snapshot, found) = added
        let ids = (snapshot.insertedItems ?? 0..<0).prefix(JSONWriter.mostQueueIDs).map {
            ItemID(number: $0).description
        }
        let location = status == 201 ? ids.first.map { [("Location", self.path.item($0))] } ?? [] : []
        return .json(status: status, [tag(snapshot)] + location) { writer in
            writer.queueMembers(of: snapshot)
            writer.member("count", found.items.count)
            writer.member("truncated", found.isTruncated)
            writer.member("ids", texts: ids)
            writer.members(of: found.skipped)
        }
    }

    private func tag(_ snapshot: PlayerSnapshot) -> (String, String) {
        ("ETag", RevisionTag.of(epoch, snapshot.queueRevision, current: snapshot.item?.item.id).description)
    }
}

extension JSONWriter {
    mutating func members(of skipped: SkippedFaults<ItemFault>) {
        members(of: skipped) { writer, fault in
            let problem = Problem(fault)
            writer.member("index", fault.index)
            writer.member("member", problem.member)
            writer.member("code", problem.code)
            writer.member("detail", problem.detail)
        }
    }

    mutating func members<Fault>(of skipped: SkippedFaults<Fault>, _ fault: (inout JSONWriter, Fault) -> Void) {
        member("skippedCount", skipped.count)
        member("skipped", objects: skipped.faults, fault)
    }

    /// `GET /queue`: a window of it.
    mutating func members(of window: QueueWindow, _ details: [PathKey: TrackDetails], _ links: ItemLinks) {
        member("revision", window.revision)
        member("length", window.length)
        member("currentIndex", window.currentIndex)
        member("offset", window.offset)
        member("items", objects: window.items) { $0.members(of: $1, details[PathKey($1.uri)], links) }
    }

    /// The result of every change of the queue.
    mutating func queueMembers(of snapshot: PlayerSnapshot) {
        member("version", snapshot.version)
        member("revision", snapshot.queueRevision)
        member("length", snapshot.queueLength)
        member("currentIndex", snapshot.item?.index)
        member("canUndo", snapshot.canUndo)
        member("canRedo", snapshot.canRedo)
    }

    /// The `change` of a `queue` event, of bounded size for any batch. `index`: its beginning; nil if it concerns the
    /// whole queue. `ids`: the first ids concerned.
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
