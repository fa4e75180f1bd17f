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
            .get("/api/v1/media/thumbnail", query: ["uri", "t", "size"]) { call, reply throws(Problem) in
                let uri = try call.query.needed("uri")
                let time = try call.query.seconds("t")
                let size = try call.query.size() ?? 640
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
                        writer.member("thumbnails", objects: thumbnails) { writer, thumbnail in
                            writer.member("uri", thumbnail.uri)
                            writer.member("t", thumbnail.seconds)
                            writer.member("size", thumbnail.edge)
                            writer.member("time", thumbnail.time)
                            writer.member("bytes", thumbnail.bytes)
                        }
                    })
            },
            .get("/api/v1/media/waveform", query: ["uri", "count"]) { call, reply throws(Problem) in
                try waveform(MediaLocator(uri: try call.query.needed("uri")), member: "uri", call, reply)
            },
        ]
    }

    /// Of a player's queue.
    var itemRoutes: [Route] {
        [
            .get("/api/v1/queue/items/{id}/waveform", query: ["count"]) { call, reply throws(Problem) in
                let item = try services.verbs.item(try services.itemID(call.parameters[0])).item
                try waveform(MediaLocator(uri: item.uri, reach: item.draft.reach), member: "id", call, reply)
            }
        ]
    }

    private func waveform(
        _ locator: MediaLocator, member: String, _ call: APICall, _ reply: @escaping Reply
    ) throws(Problem) {
        let count = try call.query.integer("count", in: Self.counts) ?? 800
        services.server.waveform(
            locator, count: count, member: member, for: call.caller,
            reply: object(reply, capacity: 16 * count) { writer, waveform in
                writer.member("duration", waveform.duration)
                writer.member("peaks", array: waveform.peaks[...]) { $0.value($1) }
            })
    }
}
