// SPDX-License-Identifier: Apache-2.0

import HTTP
import Playback

/// Frames of videos and waveforms, and pictures in the size that is asked for.
struct RenditionRoutes: Sendable {
    /// Of the longer edge.
    static let sizes = 16...2_048
    static let counts = 1...4_000

    let services: Services

    var routes: [Route] {
        [
            .get("/api/v1/media/thumbnail", takesQuery: true) { call, reply throws(Problem) in
                let query = try Query(call.request, known: ["uri", "t", "size"])
                let locator = MediaLocator(uri: try query.needed("uri"))
                let time = try query.seconds("t")
                let size = try query.integer("size", in: Self.sizes, default: 640)
                try thumbnail(locator, at: time, size: size, call.request, reply)
            },
            .get("/api/v1/media/waveform", takesQuery: true) { call, reply throws(Problem) in
                let query = try Query(call.request, known: ["uri", "count"])
                let locator = MediaLocator(uri: try query.needed("uri"))
                try waveform(locator, query, member: "uri", call.request, reply)
            },
        ]
    }

    /// Of a player's queue.
    var itemRoutes: [Route] {
        [
            .get("/api/v1/queue/items/{id}/waveform", takesQuery: true) { call, reply throws(Problem) in
                guard let id = ItemID(call.parameters[0]), let found = services.player.queueItem(id) else {
                    throw Problem(.unknown(item: call.parameters[0]))
                }
                let query = try Query(call.request, known: ["count"])
                try waveform(
                    MediaLocator(uri: found.item.uri, reach: found.item.draft.reach), query, member: "id", call.request,
                    reply)
            }
        ]
    }

    private func thumbnail(
        _ locator: MediaLocator, at time: Double, size: Int, _ request: HTTPRequest, _ reply: @escaping Reply
    ) throws(Problem) {
        let renditions = try services.requireRenditions()
        try services.openMedia(for: request.client, on: services.renditionWorker, reply: reply) { _ throws(Problem) in
            try Self.reporting("uri") { () throws(MediaError) in
                try renditions.thumbnail(locator, at: time, edge: size)
            }
        } use: { thumbnail throws(Problem) in
            guard let thumbnail else {
                throw Problem(
                    status: 416, code: "behind-the-end", title: "Behind the end",
                    detail: "The video has ended at that time.")
            }
            var response = try MediaRoutes.response(thumbnail.jpeg, request)
            response.headers.set("X-Actual-Time", String(thumbnail.time))
            reply(response)
        }
    }

    private func waveform(
        _ locator: MediaLocator, _ query: Query, member: String, _ request: HTTPRequest, _ reply: @escaping Reply
    ) throws(Problem) {
        let count = try query.integer("count", in: Self.counts, default: 800)
        let renditions = try services.requireRenditions()
        // Once for all who ask: it is kept.
        let share = JobShare(name: "media \(locator.uri)", running: 1)
        try services.openMedia(for: request.client, on: services.waveformWorker, shares: [share], reply: reply) {
            cancellation throws(Problem) in
            try MediaRoutes.reporting(member) { () throws(MediaError) in
                try renditions.waveform(locator, count: count, cancellation: cancellation)
            }
        } use: { waveform in
            let body = JSONWriter.object(capacity: 16 * count) { writer in
                writer.member("duration", waveform.duration)
                writer.member("peaks", array: waveform.peaks[...]) { $0.value($1) }
            }
            reply(.json(body))
        }
    }

    /// What has no picture to show is of the wrong type, whatever the request looked like.
    private static func reporting<Value>(
        _ member: String, _ body: () throws(MediaError) -> Value
    ) throws(Problem) -> Value {
        do throws(MediaError) {
            return try body()
        } catch {
            switch error.code {
            case .unsupported, .empty: throw .noPicture(error.message)
            default: throw Problem(error, member: member)
            }
        }
    }
}

extension Services {
    func requireRenditions() throws(Problem) -> any MediaRenditions {
        guard let renditions else { throw .noPicture("This server makes no pictures and waveforms.") }
        return renditions
    }

    /// Answers with a picture as it is, or with no edge longer than `size`.
    func answer(
        with picture: [UInt8]?, size: Int?, _ request: HTTPRequest, _ reply: @escaping Reply
    ) throws(Problem) {
        guard let picture, let size else { return reply(try MediaRoutes.response(picture, request)) }
        let tag = MediaRoutes.tag(picture, "-\(size)")
        if request.headers.ifNoneMatchRefuses(tag) == true {
            return reply(try MediaRoutes.response(picture, request, tag: tag))
        }
        let renditions = try requireRenditions()
        try openMedia(for: request.client, on: renditionWorker, reply: reply) { _ throws(Problem) in
            do throws(MediaError) {
                return try renditions.scaled(picture, edge: size)
            } catch {
                throw error.code == .unsupported
                    ? .noPicture(error.message) : Problem(error, member: "size")
            }
        } use: { scaled throws(Problem) in
            reply(try MediaRoutes.response(scaled, request, tag: tag))
        }
    }
}

extension Query {
    func needed(_ name: String) throws(Problem) -> String {
        guard let value = try text(name), !value.isEmpty else {
            throw .invalid(name, "The query parameter \(name) is needed.")
        }
        return value
    }

    /// 0 when it is absent.
    func seconds(_ name: String) throws(Problem) -> Double {
        guard let value = try text(name) else { return 0 }
        guard let number = Double(value), (0...36_000_000).contains(number) else {
            throw .invalid(name, "\(name) must be a number of seconds in 0...36000000.")
        }
        return number
    }

    /// Of the longer edge of a picture; nil when it is absent.
    func size() throws(Problem) -> Int? {
        try text("size") == nil ? nil : try integer("size", in: RenditionRoutes.sizes, default: 0)
    }
}

extension Problem {
    static func noPicture(_ detail: String) -> Problem {
        Problem(status: 415, code: "unsupported", title: "Unsupported media", detail: detail)
    }
}
