// SPDX-License-Identifier: Apache-2.0

import HTTP
import Kernel
public import Playback
import Service

/// `/media`, `/browse` and pictures: media without playing them.
struct MediaRoutes: Sendable {
    let services: Services

    var routes: [Route] {
        let server = services.server
        return [
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
                server.artwork(locator, for: call.caller, reply: try services.picture(call, reply))
            },
        ]
    }

    /// The entries of a playlist. One of the web is fetched for it, which needs the scope of adding it.
    private var list: Route {
        var route = Route.get("/api/v1/media/list", query: ["uri"]) { call, reply throws(Problem) in
            let uri = try call.query.needed("uri")
            if services.server.isNetwork(uri) {
                guard let scope = call.scope, scope >= .control else { throw .scopeMissing(.control) }
            }
            services.server.expand(
                uri, for: call.caller, reply: object(reply, capacity: 16_384) { $0.members(of: $1, uri: uri) })
        }
        route.reachesOut = true
        return route
    }

    /// Of a player's queue.
    var itemRoutes: [Route] {
        [
            .get("/api/v1/queue/items/{id}/artwork", query: ["size"]) { call, reply throws(Problem) in
                let id = try services.itemID(call.parameters[0])
                services.verbs.artwork(of: id, for: call.caller, reply: try services.picture(call, reply))
            }
        ]
    }
}

extension Services {
    /// Answers with the picture as it is, or with no edge longer than `size` of the query.
    func picture(_ call: APICall, _ reply: @escaping Reply) throws(Problem) -> ServiceReply<[UInt8]> {
        let size = try call.query.size()
        return { result in
            guard case .success(let picture) = result, let size else {
                return answering(reply) { Self.response($0, call.request) }(result)
            }
            let tag = Self.tag(picture, "-\(size)")
            if call.request.headers.ifNoneMatchRefuses(tag) == true {
                return reply(Self.response(picture, call.request, tag: tag))
            }
            server.scaled(
                picture, edge: size, for: call.caller,
                reply: answering(reply) { Self.response($0, call.request, tag: tag) })
        }
    }

    private static func tag(_ picture: [UInt8], _ suffix: String = "") -> EntityTag {
        EntityTag(String(StableHash(of: picture).value, radix: 36) + suffix)
    }

    /// The bytes come from a stranger's file: the type is taken from them, not from the tag, and a browser that opens
    /// them runs nothing.
    static func response(_ picture: [UInt8], _ request: HTTPRequest, tag given: EntityTag? = nil) -> HTTPResponse {
        let tag = given ?? Self.tag(picture)
        let headers = [("ETag", tag.description), ("Cache-Control", "private, no-cache")]
        if let response = request.notModified(tag, headers) { return response }
        return HTTPResponse(
            status: 200,
            headers: HTTPHeaders(
                headers + [
                    ("Content-Type", PictureFormat(picture)?.mediaType ?? "application/octet-stream"),
                    ("X-Content-Type-Options", "nosniff"),
                    ("Content-Security-Policy", "default-src 'none'; sandbox"),
                ]), body: .bytes(picture))
    }
}

extension JSONWriter {
    /// `GET /media/info`
    mutating func members(of media: MediaDescription, uri: String) {
        member("uri", uri)
        member("duration", media.duration.map(media.format.seconds))
        member("picture", media.tags.picture) { writer, picture in
            writer.member("type", picture.mimeType)
            writer.member("bytes", picture.bytes.count)
        }
        lyricsMember(of: media, uri: uri)
        mediaMembers(of: media)
    }

    /// `GET /media/list`: what a playlist comes to, without the secrets in its addresses.
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
