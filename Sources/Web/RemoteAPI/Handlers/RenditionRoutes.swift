// SPDX-License-Identifier: Apache-2.0

import HTTP
import Playback
import Service

/// Frames of videos and waveforms.
struct RenditionRoutes: Sendable {
    /// Of the longer edge.
    static let sizes = 16...2_048
    static let counts = 1...4_000

    let services: Services

    var routes: [Route] {
        [
            .get("/api/v1/media/thumbnail", takesQuery: true) { call, reply throws(Problem) in
                let query = try Query(call.request, known: ["uri", "t", "size"])
                let uri = try query.needed("uri")
                let time = try query.seconds("t")
                let size = try query.integer("size", in: Self.sizes, default: 640)
                services.server.thumbnail(
                    uri, at: time, edge: size, for: call.caller,
                    reply: answering(reply) { thumbnail in
                        var response = Services.response(thumbnail.jpeg, call.request)
                        response.headers.set("X-Actual-Time", String(thumbnail.time))
                        return response
                    })
            },
            .get("/api/v1/media/thumbnails") { call, reply throws(Problem) in
                services.server.thumbnails(
                    for: call.caller,
                    reply: object(reply) { writer, thumbnails in
                        writer.member("thumbnails", array: thumbnails[...]) { writer, thumbnail in
                            writer.object {
                                $0.member("uri", thumbnail.uri)
                                $0.member("t", thumbnail.seconds)
                                $0.member("size", thumbnail.edge)
                                $0.member("time", thumbnail.time)
                                $0.member("bytes", thumbnail.bytes)
                            }
                        }
                    })
            },
            .get("/api/v1/media/waveform", takesQuery: true) { call, reply throws(Problem) in
                let query = try Query(call.request, known: ["uri", "count"])
                try waveform(MediaLocator(uri: try query.needed("uri")), query, member: "uri", call, reply)
            },
        ]
    }

    /// Of a player's queue.
    var itemRoutes: [Route] {
        [
            .get("/api/v1/queue/items/{id}/waveform", takesQuery: true) { call, reply throws(Problem) in
                let item = try services.verbs.item(try services.itemID(call.parameters[0])).item
                let query = try Query(call.request, known: ["count"])
                try waveform(MediaLocator(uri: item.uri, reach: item.draft.reach), query, member: "id", call, reply)
            }
        ]
    }

    private func waveform(
        _ locator: MediaLocator, _ query: Query, member: String, _ call: APICall, _ reply: @escaping Reply
    ) throws(Problem) {
        let count = try query.integer("count", in: Self.counts, default: 800)
        services.server.waveform(
            locator, count: count, member: member, for: call.caller,
            reply: object(reply, capacity: 16 * count) { writer, waveform in
                writer.member("duration", waveform.duration)
                writer.member("peaks", array: waveform.peaks[...]) { $0.value($1) }
            })
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
