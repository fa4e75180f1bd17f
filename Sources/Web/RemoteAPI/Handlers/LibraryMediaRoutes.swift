// SPDX-License-Identifier: Apache-2.0

import HTTP
import Playback
import Service

/// Pictures and lyrics of tracks and of the queue's items.
struct LibraryMediaRoutes: Sendable {
    let services: Services

    var routes: [Route] {
        let (base, server) = (LibraryRoutes.base, services.server)
        return [
            .get(base + "/artists/{id}/artwork", query: ["size"]) { call, reply throws(Problem) in
                let id = try services.catalogueID(call, .artist)
                server.artwork(ofArtist: id, for: call.caller, reply: try services.picture(call, reply))
            },
            .get(base + "/albums/{id}/artwork", query: ["size"]) { call, reply throws(Problem) in
                let id = try services.catalogueID(call, .album)
                server.artwork(ofAlbum: id, for: call.caller, reply: try services.picture(call, reply))
            },
            .get(base + "/tracks/{id}/artwork", query: ["size"]) { call, reply throws(Problem) in
                let id = try services.catalogueID(call, .track)
                server.artwork(ofTrack: id, for: call.caller, reply: try services.picture(call, reply))
            },
            .get(base + "/tracks/{id}/lyrics") { call, reply throws(Problem) in
                let id = try services.catalogueID(call, .track)
                server.lyrics(ofTrack: id, for: call.caller, reply: Self.lyrics(reply))
            },
        ]
    }

    /// Of a player's queue.
    var itemRoutes: [Route] {
        [
            .get("/api/v1/queue/items/{id}/lyrics") { call, reply throws(Problem) in
                let item = try services.verbs.item(try services.itemID(call.parameters[0])).item
                services.server.lyrics(MediaLocator(item.draft), for: call.caller, reply: Self.lyrics(reply))
            }
        ]
    }

    private static func lyrics(_ reply: @escaping Reply) -> ServiceReply<MediaLyrics> {
        object(reply, capacity: 4_096) { writer, found in
            let lyrics = Lyrics(found.text)
            writer.member("source", found.source.rawValue)
            writer.member("synced", !lyrics.lines.isEmpty)
            writer.member("text", lyrics.text)
            writer.member("lines", objects: lyrics.lines) { writer, line in
                writer.member("time", line.time)
                writer.member("text", line.text)
            }
        }
    }
}
