// SPDX-License-Identifier: Apache-2.0

import Catalogue
import HTTP
import Playback

/// Pictures and lyrics of what the library or the queue holds.
struct LibraryMediaRoutes: Sendable {
    let services: Services

    var routes: [Route] {
        [
            .get(LibraryRoutes.base + "/albums/{id}/artwork", takesQuery: true) { call, reply throws(Problem) in
                let library = try services.requireLibrary()
                let id = try LibraryRoutes.id(call.parameters[0], .album)
                let size = try Query(call.request, known: ["size"]).size()
                try artwork(call.request, size, library, reply) { () throws(CatalogueError) in
                    guard let track = try library.album(id).artworkTrack else { return nil }
                    return try library.track(track)
                }
            },
            .get(LibraryRoutes.base + "/tracks/{id}/artwork", takesQuery: true) { call, reply throws(Problem) in
                let library = try services.requireLibrary()
                let id = try LibraryRoutes.id(call.parameters[0], .track)
                let size = try Query(call.request, known: ["size"]).size()
                try artwork(call.request, size, library, reply) { () throws(CatalogueError) in try library.track(id) }
            },
            .get(LibraryRoutes.base + "/tracks/{id}/lyrics") { call, reply throws(Problem) in
                let library = try services.requireLibrary()
                let id = try LibraryRoutes.id(call.parameters[0], .track)
                try services.onLibrary(reply: reply) { () throws(Problem) in
                    let track = try Problem.fromCatalogue { () throws(CatalogueError) in try library.track(id) }
                    try lyrics(MediaLocator(uri: track.uri), call.request.client, reply)
                }
            },
        ]
    }

    /// Of a player's queue.
    var itemRoutes: [Route] {
        [
            .get("/api/v1/queue/items/{id}/lyrics") { call, reply throws(Problem) in
                guard let id = ItemID(call.parameters[0]), let found = services.player.queueItem(id) else {
                    throw Problem(.unknown(item: call.parameters[0]))
                }
                try lyrics(
                    MediaLocator(found.item.draft), call.request.client, reply)
            }
        ]
    }

    private func artwork(
        _ request: HTTPRequest, _ size: Int?, _ library: any MusicLibrary, _ reply: @escaping Reply,
        _ find: @escaping @Sendable () throws(CatalogueError) -> Track?
    ) throws(Problem) {
        try services.onLibrary(reply: reply) { () throws(Problem) in
            guard let track = try Problem.fromCatalogue(find) else {
                return try services.answer(with: nil, size: size, request, reply)
            }
            let locator = MediaLocator(uri: track.uri)
            try services.openMedia(for: request.client, reply: reply) { cancellation throws(Problem) in
                try MediaRoutes.reporting("id") { () throws(MediaError) -> [UInt8]? in
                    // Only a file whose tags carry one is opened.
                    if track.hasPicture,
                        let picture = try services.media.describe(locator, cancellation: cancellation).tags.picture
                    {
                        return picture.bytes
                    }
                    return try services.media.folderPicture(locator)
                }
            } use: { picture throws(Problem) in
                try services.answer(with: picture, size: size, request, reply)
            }
        }
    }

    private func lyrics(_ locator: MediaLocator, _ client: APIClient, _ reply: @escaping Reply) throws(Problem) {
        try services.openMedia(for: client, reply: reply) { _ throws(Problem) in
            try MediaRoutes.reporting("id") { () throws(MediaError) in try services.media.lyrics(locator) }
        } use: { found throws(Problem) in
            guard let found else { throw .notFound("This media has no lyrics.", code: "no-lyrics") }
            let lyrics = Lyrics(found.text)
            reply(
                .json(
                    JSONWriter.object(capacity: 4_096) { writer in
                        writer.member("source", found.source.rawValue)
                        writer.member("synced", !lyrics.lines.isEmpty)
                        writer.member("text", lyrics.text)
                        writer.member("lines", array: lyrics.lines) { writer, line in
                            writer.object {
                                $0.member("time", line.time)
                                $0.member("text", line.text)
                            }
                        }
                    }))
        }
    }
}
