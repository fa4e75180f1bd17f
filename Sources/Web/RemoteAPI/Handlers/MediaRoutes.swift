// SPDX-License-Identifier: Apache-2.0

import HTTP
import Kernel
import Playback
import Service

/// `/media`, `/browse` and pictures: media without playing them.
struct MediaRoutes: Sendable {
    let services: Services

    var routes: [Route] {
        let server = services.server
        return [
            .get("/api/v1/browse", takesQuery: true) { call, reply throws(Problem) in
                let query = try Query(call.request, known: ["path", "offset", "limit"])
                let path = try query.text("path") ?? ""
                let offset = try query.integer("offset", in: 0...Queue.maximumLength, default: 0)
                let limit = try query.integer("limit", in: 0...1000, default: 100)
                server.browse(
                    path, for: call.caller,
                    reply: object(reply) { $0.members(of: $1, offset: offset, limit: limit) })
            },
            .get("/api/v1/media/info", takesQuery: true) { call, reply throws(Problem) in
                let uri = try Query(call.request, known: ["uri"]).needed("uri")
                server.describe(uri, for: call.caller, reply: object(reply) { $0.members(of: $1, uri: uri) })
            },
            list,
            .get("/api/v1/media/artwork", takesQuery: true) { call, reply throws(Problem) in
                let query = try Query(call.request, known: ["uri", "size"])
                let locator = MediaLocator(uri: try query.needed("uri"))
                server.artwork(locator, for: call.caller, reply: services.picture(try query.size(), call, reply))
            },
        ]
    }

    /// The entries of a playlist. One of the web is fetched for it, which needs the scope of adding it.
    private var list: Route {
        var route = Route.get("/api/v1/media/list", takesQuery: true) { call, reply throws(Problem) in
            let uri = try Query(call.request, known: ["uri"]).needed("uri")
            if services.server.isNetwork(uri) {
                guard let scope = call.scope, scope >= .control else { throw Problem(.scopeMissing(.control)) }
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
            .get("/api/v1/queue/items/{id}/artwork", takesQuery: true) { call, reply throws(Problem) in
                let size = try Query(call.request, known: ["size"]).size()
                let id = try services.itemID(call.parameters[0])
                services.verbs.artwork(of: id, for: call.caller, reply: services.picture(size, call, reply))
            }
        ]
    }
}

extension Services {
    /// Answers with the picture as it is, or with no edge longer than `size`.
    func picture(_ size: Int?, _ call: APICall, _ reply: @escaping Reply) -> ServiceReply<[UInt8]> {
        { result in
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
