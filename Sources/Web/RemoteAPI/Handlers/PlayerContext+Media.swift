// SPDX-License-Identifier: Apache-2.0

import HTTP
import Kernel
public import Playback
import Service

/// `/media`, `/browse`, pictures, lyrics and waveforms: media apart from playback.
extension PlayerContext {
    /// Sizes of the longer edge of a picture.
    static let pictureSizes = 16...2_048
    /// Numbers of peaks of a waveform.
    private static let peakCounts = 1...4_000

    var mediaRoutes: [Route] {
        [
            .get("/api/v1/browse", query: ["path", "offset", "limit"]) { call, reply throws(Problem) in
                let path = try call.query.text("path") ?? ""
                let (offset, limit) = try call.query.window(of: Queue.maximumLength)
                server.browse(
                    path, for: call.caller,
                    reply: object(reply) { $0.members(of: $1, offset: offset, limit: limit) })
            },
            .get("/api/v1/media/info", query: ["uri"]) { call, reply throws(Problem) in
                let uri = try call.query.needed("uri")
                server.describe(uri, for: call.caller, reply: object(reply) { $0.members(of: $1, uri: uri) })
            },
            list,
            .get("/api/v1/media/artwork", query: ["uri", "size"]) { call, reply throws(Problem) in
                let locator = MediaLocator(uri: try call.query.needed("uri"))
                server.artwork(locator, for: call.caller, reply: try picture(call, reply))
            },
            artwork("artists", .artist), artwork("albums", .album), artwork("tracks", .track),
            .get(Self.library + "/tracks/{id}/lyrics") { call, reply throws(Problem) in
                let id = try catalogueID(call, .track)
                server.lyrics(ofTrack: id, for: call.caller, reply: Self.lyrics(reply))
            },
            .get("/api/v1/media/thumbnail", query: ["uri", "t", "size"]) { call, reply throws(Problem) in
                let uri = try call.query.needed("uri")
                let time = try call.query.seconds("t")
                let size = try call.query.size() ?? 640
                server.thumbnail(
                    uri, at: time, edge: size, for: call.caller,
                    reply: answering(reply) { thumbnail in
                        var response = Self.response(thumbnail.jpeg, call.request)
                        // To the microsecond, as in the list.
                        let time = (thumbnail.time * 1e6).rounded() / 1e6
                        response.headers.set("X-Actual-Time", String(time))
                        return response
                    })
            },
            .get("/api/v1/media/thumbnails") { call, reply throws(Problem) in
                server.thumbnails(
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

    private func artwork(_ name: String, _ kind: CatalogueID.Kind) -> Route {
        .get("\(Self.library)/\(name)/{id}/artwork", query: ["size"]) { call, reply throws(Problem) in
            let id = try catalogueID(call, kind)
            server.artwork(of: id, for: call.caller, reply: try picture(call, reply))
        }
    }

    /// The entries of a playlist. A playlist on the web is fetched, which needs the same scope as adding it.
    private var list: Route {
        var route = Route.get("/api/v1/media/list", query: ["uri"]) { call, reply throws(Problem) in
            let uri = try call.query.needed("uri")
            if MediaLocator.isNetwork(uri) {
                guard let scope = call.scope, scope >= .control else { throw .scopeMissing(.control) }
            }
            server.expand(
                uri, for: call.caller, reply: object(reply, capacity: 16_384) { $0.members(of: $1, uri: uri) })
        }
        route.refusesForeignOrigin = true
        return route
    }

    /// For items of a player's queue.
    var itemMediaRoutes: [Route] {
        [
            .get("/api/v1/queue/items/{id}/artwork", query: ["size"]) { call, reply throws(Problem) in
                let id = try itemID(call.parameters[0])
                verbs.artwork(of: id, for: call.caller, reply: try picture(call, reply))
            },
            .get("/api/v1/queue/items/{id}/lyrics") { call, reply throws(Problem) in
                let item = try verbs.item(try itemID(call.parameters[0])).item
                server.lyrics(MediaLocator(item.draft), for: call.caller, reply: Self.lyrics(reply))
            },
            .get("/api/v1/queue/items/{id}/waveform", query: ["count"]) { call, reply throws(Problem) in
                let item = try verbs.item(try itemID(call.parameters[0])).item
                try waveform(MediaLocator(uri: item.uri, reach: item.draft.reach), member: "id", call, reply)
            },
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

    private func waveform(
        _ locator: MediaLocator, member: String, _ call: APICall, _ reply: @escaping Reply
    ) throws(Problem) {
        let count = try call.query.integer("count", in: Self.peakCounts) ?? 800
        server.waveform(
            locator, count: count, member: member, for: call.caller,
            reply: object(reply, capacity: 16 * count) { writer, waveform in
                writer.member("duration", waveform.duration)
                writer.member("peaks", array: waveform.peaks[...]) { $0.value($1) }
            })
    }

    // MARK: Pictures

    /// Replies with the original picture, or with one scaled to the query's `size`.
    func picture(_ call: APICall, _ reply: @escaping Reply) throws(Problem) -> ServiceReply<[UInt8]> {
        let size = try call.query.size()
        return { result in
            guard case .success(let picture) = result, let size else {
                return answering(reply) { Self.response($0, call.request) }(result)
            }
            let tag = Self.pictureTag(picture, "-\(size)")
            if call.request.headers.ifNoneMatchRefuses(tag) == true {
                return reply(Self.response(picture, call.request, tag: tag))
            }
            server.scaled(
                picture, edge: size, for: call.caller,
                reply: answering(reply) { Self.response($0, call.request, tag: tag) })
        }
    }

    private static func pictureTag(_ picture: [UInt8], _ suffix: String = "") -> EntityTag {
        EntityTag(String(StableHash(of: picture).value, radix: 36) + suffix)
    }

    /// The bytes come from a foreign file, so their type is detected, and browsers must not run them as a document.
    static func response(_ picture: [UInt8], _ request: HTTPRequest, tag given: EntityTag? = nil) -> HTTPResponse {
        let tag = given ?? Self.pictureTag(picture)
        let cacheControl = "private, no-cache"
        if let response = request.notModified(tag, cacheControl) { return response }
        return .content(
            picture, PictureFormat(picture)?.mediaType ?? "application/octet-stream",
            tag.fields(cacheControl) + [
                ("X-Content-Type-Options", "nosniff"), ("Content-Security-Policy", "default-src 'none'; sandbox"),
            ])
    }
}

extension JSONWriter {
    /// `GET /media/info`
    mutating func members(of media: MediaDescription, uri: String) {
        member("uri", uri)
        member("duration", media.durationInSeconds)
        member("picture", media.tags.picture) { writer, picture in
            writer.member("type", picture.mimeType)
            writer.member("bytes", picture.bytes.count)
        }
        lyricsMember(of: media, uri: uri)
        mediaMembers(of: media)
    }

    /// `GET /media/list`: the entries of a playlist, without secrets in their addresses.
    mutating func members(of list: ListContent, uri: String) {
        member("uri", PublicURI.text(uri))
        member("length", list.items.count)
        member("truncated", list.isTruncated)
        member("items", objects: list.items) { writer, item in
            writer.member("uri", PublicURI.text(item.uri))
            writer.member("title", item.title)
            writer.member("artist", item.artist)
            writer.member("album", item.album)
            writer.member("artworkUri", item.artworkURI.map(PublicURI.text))
            writer.members(of: item.reach)
        }
    }

    /// `GET /browse`: a window of a folder.
    mutating func members(of folder: MusicListing, offset: Int, limit: Int) {
        member("path", folder.path)
        member("parent", folder.parent)
        member("length", folder.entries.count)
        member("truncated", folder.isTruncated)
        member("offset", offset)
        member("entries", objects: folder.entries.dropFirst(offset).prefix(limit)) { writer, entry in
            writer.member("type", entry.kind.rawValue)
            writer.member("name", entry.name)
            writer.member("path", entry.path)
            writer.member("size", entry.size)
        }
    }
}

/// The answer of `GET /media/info`, for programs that describe media without a server.
public enum MediaDocument {
    public static func json(of media: MediaDescription, uri: String) -> [UInt8] {
        JSONWriter.object { $0.members(of: media, uri: uri) }
    }
}
