// SPDX-License-Identifier: Apache-2.0

import Catalogue
import HTTP
import Playback

/// `/queue`: reading it in windows and changing it in batches; every change honours `If-Match`.
struct QueueRoutes: Sendable {
    let services: Services
    private var items: QueueItemExpansion { QueueItemExpansion(services: services) }

    init(services: Services) {
        self.services = services
    }

    var routes: [Route] {
        let base = "/api/v1/queue"
        let isCurrent: @Sendable (APICall) throws(Problem) -> Void = { call throws(Problem) in
            _ = try expectedRevision(call)
        }
        return [
            .get(base, takesQuery: true) { call, reply throws(Problem) in try window(call.request, reply) },
            .put(base, largestBody: Route.listBody, precondition: isCurrent) { call, reply throws(Problem) in
                let expected = try expectedRevision(call)
                let request = try call.list(ReplaceQueueRequest.self)
                try items.resolve(request.items, request.rules, for: call.request.client, reply) {
                    found throws(Problem) in
                    // A queue is not replaced when nothing of the new one can be played.
                    if found.items.isEmpty, let fault = found.skipped.first { throw Problem(fault) }
                    if let index = request.index, index >= max(1, found.items.count) {
                        throw .invalid("index", "index must be less than the number of items.")
                    }
                    edit(.replace(found.items, startIndex: request.index), expected, play: request.play, reply) {
                        added($0, found, status: 200)
                    }
                }
            },
            .delete(base) { call, reply throws(Problem) in
                _ = try call.body(EmptyBody.self)
                try edit(.clear, call, reply)
            },
            .post(base + "/items", largestBody: Route.listBody, precondition: isCurrent) {
                call, reply throws(Problem) in
                let expected = try expectedRevision(call)
                let request = try call.list(AddItemsRequest.self)
                // Before anything is looked at for it.
                let length = services.player.snapshot.queueLength
                if case .index(let index) = request.position, index > length {
                    throw Problem(
                        PlaybackError(
                            .outOfRange, "There is no position \(index) in a queue of \(length) items.",
                            member: "position"))
                }
                try items.resolve(request.items, request.rules, for: call.request.client, reply) { found in
                    edit(.insert(found.items, at: request.position), expected, play: request.play, reply) {
                        added($0, found, status: 201)
                    }
                }
            },
            .post(base + "/move", largestBody: Route.listBody, precondition: isCurrent) { call, reply throws(Problem) in
                let expected = try expectedRevision(call)
                let request = try call.list(MoveRequest.self)
                try edit(.move(request.ids, to: request.position), expected, reply)
            },
            .post(base + "/remove", largestBody: Route.listBody, precondition: isCurrent) {
                call, reply throws(Problem) in
                let expected = try expectedRevision(call)
                try edit(.remove(try call.list(RemoveRequest.self).ids), expected, reply)
            },
            .post(base + "/shuffle") { call, reply throws(Problem) in
                _ = try call.body(EmptyBody.self)
                try edit(.shuffle, call, reply)
            },
            .post(base + "/undo") { call, reply throws(Problem) in
                _ = try call.body(EmptyBody.self)
                try edit(.undo, call, reply)
            },
            .post(base + "/redo") { call, reply throws(Problem) in
                _ = try call.body(EmptyBody.self)
                try edit(.redo, call, reply)
            },
        ] + itemRoutes
    }

    private var itemRoutes: [Route] {
        let pattern = "/api/v1/queue/items/{id}"
        return [
            .get(pattern) { call, reply throws(Problem) in
                let found = try self.item(try itemID(call))
                services.withDetails(of: [found.item]) { reply(Self.answer(found, $0)) }
            },
            .patch(pattern) { call, reply throws(Problem) in
                let id = try itemID(call)
                let patch = try call.body(ItemPatchRequest.self).patch
                edit(.update(id, patch), try expectedRevision(call), play: false, reply) { _ in
                    do throws(Problem) {
                        let found = try self.item(id)
                        return Self.answer(found, services.details.atHand([found.item]))
                    } catch {
                        return error.response
                    }
                }
            },
            .delete(pattern) { call, reply throws(Problem) in
                let id = try itemID(call)
                _ = try call.body(EmptyBody.self)
                try edit(.remove([id]), call, reply)
            },
        ]
    }

    // MARK: Reading

    private func window(_ request: HTTPRequest, _ reply: @escaping Reply) throws(Problem) {
        let query = try Query(request, known: ["offset", "limit"])
        let offset = try query.integer("offset", in: 0...Queue.maximumLength, default: 0)
        let limit = try query.integer("limit", in: 0...1000, default: 100)
        let window = services.player.queueWindow(offset: offset, limit: limit)
        let current = services.player.snapshot.item?.item.id
        var tag = QueueTag(epoch: services.epoch, revision: window.revision, current: current)
        // Before the catalogue is read: a window may be newer than its tag, never older.
        tag.catalogue = services.details.revision
        let value = tag.tag
        if request.headers.ifNoneMatchRefuses(value) == true {
            return reply(
                HTTPResponse(
                    status: 304, headers: HTTPHeaders([("ETag", value.description), ("Cache-Control", "no-cache")])))
        }
        services.withDetails(of: window.items) { details in
            let bytes = JSONWriter.object(capacity: 256 + 384 * window.items.count) { $0.members(of: window, details) }
            reply(
                HTTPResponse(
                    status: 200,
                    headers: HTTPHeaders([
                        ("Content-Type", "application/json"), ("Cache-Control", "no-cache"),
                        ("ETag", value.description),
                    ]), body: .bytes(bytes)))
        }
    }

    private typealias Found = (item: QueueItem, index: Int, revision: QueueRevision)

    private func item(_ id: ItemID) throws(Problem) -> Found {
        guard let found = services.player.queueItem(id) else { throw Problem(.unknown(item: id.description)) }
        return found
    }

    private static func answer(_ found: Found, _ details: [String: TrackDetails]) -> HTTPResponse {
        .json(
            JSONWriter.object { writer in
                writer.members(of: found.item, details[found.item.uri])
                writer.member("index", found.index)
                writer.member("revision", found.revision)
            })
    }

    private func itemID(_ call: APICall) throws(Problem) -> ItemID {
        guard let id = ItemID(call.parameters[0]) else { throw Problem(.unknown(item: call.parameters[0])) }
        return id
    }

    // MARK: Changing

    private func expectedRevision(_ call: APICall) throws(Problem) -> QueueRevision? {
        try QueueTag(epoch: services.epoch, services.player.snapshot).expectedRevision(call.request.headers)
    }

    private func edit(_ edit: QueueEdit, _ call: APICall, _ reply: @escaping Reply) throws(Problem) {
        try self.edit(edit, try expectedRevision(call), reply)
    }

    private func edit(_ edit: QueueEdit, _ expected: QueueRevision?, _ reply: @escaping Reply) throws(Problem) {
        self.edit(edit, expected, play: false, reply) { snapshot in
            .json(JSONWriter.object { $0.queueMembers(of: snapshot) }, [tag(snapshot)])
        }
    }

    private func edit(
        _ edit: QueueEdit, _ expected: QueueRevision?, play: Bool, _ reply: @escaping Reply,
        _ answer: @escaping @Sendable (PlayerSnapshot) -> HTTPResponse
    ) {
        services.perform(.edit(edit, expected: expected, play: play), reply: reply, answer: answer)
    }

    private func added(_ snapshot: PlayerSnapshot, _ found: ResolvedItems, status: Int) -> HTTPResponse {
        let ids = (snapshot.insertedItems ?? 0..<0).prefix(QueueChangeSummary.maximumIDs).map {
            ItemID(number: $0).description
        }
        let bytes = JSONWriter.object { writer in
            writer.queueMembers(of: snapshot)
            writer.member("count", found.items.count)
            writer.member("truncated", found.isTruncated)
            writer.member("ids", texts: ids)
            writer.member("skippedCount", found.skippedCount)
            writer.member("skipped", array: found.skipped) { writer, fault in
                let problem = Problem(fault)
                writer.object {
                    $0.member("index", fault.index)
                    $0.member("member", problem.member)
                    $0.member("code", problem.code)
                    $0.member("detail", problem.detail)
                }
            }
        }
        let location = status == 201 ? ids.first.map { [("Location", services.path.item($0))] } ?? [] : []
        return .json(bytes, status: status, [tag(snapshot)] + location)
    }

    private func tag(_ snapshot: PlayerSnapshot) -> (String, String) {
        ("ETag", QueueTag(epoch: services.epoch, snapshot).tag.description)
    }
}
