// SPDX-License-Identifier: Apache-2.0

import Addresses
import HTTP
import Playback

/// `/media`, `/browse` and pictures: what media are, without playing them.
struct MediaRoutes: Sendable {
    let services: Services

    var routes: [Route] {
        [
            .get("/api/v1/browse", takesQuery: true) { call, reply throws(Problem) in
                let query = try Query(call.request, known: ["path", "offset", "limit"])
                let path = try query.text("path") ?? ""
                let offset = try query.integer("offset", in: 0...Queue.maximumLength, default: 0)
                let limit = try query.integer("limit", in: 0...1000, default: 100)
                try services.openMedia(for: call.request.client, reply: reply) { _ throws(Problem) in
                    try Self.reporting("path") { () throws(MediaError) in try services.media.list(folder: path) }
                } use: { listing in
                    reply(.json(JSONWriter.object { $0.members(of: listing, offset: offset, limit: limit) }))
                }
            },
            .get("/api/v1/media/info", takesQuery: true) { call, reply throws(Problem) in
                let uri = try Query(call.request, known: ["uri"]).needed("uri")
                try services.openMedia(for: call.request.client, reply: reply) { cancellation throws(Problem) in
                    try Self.reporting("uri") { () throws(MediaError) in
                        try services.media.describe(MediaLocator(uri: uri), cancellation: cancellation)
                    }
                } use: { media in
                    reply(.json(JSONWriter.object { $0.members(of: media, uri: uri) }))
                }
            },
            list,
            .get("/api/v1/media/artwork", takesQuery: true) { call, reply throws(Problem) in
                let query = try Query(call.request, known: ["uri", "size"])
                try artwork(MediaLocator(uri: try query.needed("uri")), try query.size(), call.request, reply)
            },
        ]
    }

    /// The entries of a playlist. One of the web is fetched for it, which needs the scope of adding it.
    private var list: Route {
        var route = Route.get("/api/v1/media/list", takesQuery: true) { call, reply throws(Problem) in
            let uri = try Query(call.request, known: ["uri"]).needed("uri")
            let isNetwork = services.media.isNetwork(uri)
            if isNetwork {
                guard let scope = call.scope, scope >= .control else { throw Problem(.scopeMissing(.control)) }
            }
            let worker = isNetwork ? services.listWorker : services.mediaWorker
            let shares = isNetwork ? services.shares(ofServersOf: [uri]) : []
            try services.openMedia(for: call.request.client, on: worker, shares: shares, reply: reply) {
                cancellation throws(Problem) in
                try Self.reporting("uri") { () throws(MediaError) in
                    try services.media.media(
                        ofList: MediaLocator(uri: uri), isGiven: true, limit: Queue.maximumLength, patience: nil,
                        cancellation: cancellation)
                }
            } use: { list in
                reply(.json(JSONWriter.object(capacity: 64 * list.items.count) { $0.members(of: list, uri: uri) }))
            }
        }
        route.reachesOut = true
        return route
    }

    /// Of a player's queue.
    var itemRoutes: [Route] {
        [
            .get("/api/v1/queue/items/{id}/artwork", takesQuery: true) { call, reply throws(Problem) in
                let size = try Query(call.request, known: ["size"]).size()
                guard let id = ItemID(call.parameters[0]), let found = services.player.queueItem(id) else {
                    throw Problem(.unknown(item: call.parameters[0]))
                }
                if let address = found.item.draft.webPicture {
                    return try givenArtwork(address, found.item, size, call.request, reply)
                }
                try ownArtwork(found.item, size, call.request, reply)
            }
        ]
    }

    /// The picture that the client named; where it cannot be had, the one that the media brings.
    private func givenArtwork(
        _ address: MediaLocator, _ item: QueueItem, _ size: Int?, _ request: HTTPRequest, _ reply: @escaping Reply
    ) throws(Problem) {
        let shares = services.shares(ofServersOf: [address.uri])
        try services.openMedia(for: request.client, on: services.coverWorker, shares: shares, reply: reply) {
            cancellation throws(Problem) -> Result<[UInt8], MediaError> in
            do throws(MediaError) {
                return .success(try services.media.picture(at: address, cancellation: cancellation))
            } catch {
                return .failure(error)
            }
        } use: { picture throws(Problem) in
            switch picture {
            case .success(let bytes): try services.answer(with: bytes, size: size, request, reply)
            case .failure(let error):
                try ownArtwork(item, size, request) { response in
                    // Why there is none is the address's fault.
                    reply(response.status == 404 ? Problem(error, member: "artworkUri").response : response)
                }
            }
        }
    }

    private func ownArtwork(
        _ item: QueueItem, _ size: Int?, _ request: HTTPRequest, _ reply: @escaping Reply
    ) throws(Problem) {
        let locator = MediaLocator(item.draft)
        guard let current = services.player.snapshot.item, current.item.id == item.id, let media = current.media else {
            return try artwork(locator, size, request, reply)
        }
        if let picture = media.tags.picture {
            return try services.answer(with: picture.bytes, size: size, request, reply)
        }
        try folderArtwork(locator, size, request, reply)
    }

    /// The picture in the tags, else the one in the folder.
    private func artwork(
        _ locator: MediaLocator, _ size: Int?, _ request: HTTPRequest, _ reply: @escaping Reply
    ) throws(Problem) {
        try services.openMedia(for: request.client, reply: reply) { cancellation throws(Problem) in
            try Self.reporting("uri") { () throws(MediaError) -> [UInt8]? in
                if let picture = try services.media.describe(locator, cancellation: cancellation).tags.picture {
                    return picture.bytes
                }
                return try services.media.folderPicture(locator)
            }
        } use: { picture throws(Problem) in
            try services.answer(with: picture, size: size, request, reply)
        }
    }

    /// For media whose tags are known to carry no picture.
    private func folderArtwork(
        _ locator: MediaLocator, _ size: Int?, _ request: HTTPRequest, _ reply: @escaping Reply
    ) throws(Problem) {
        try services.openMedia(for: request.client, reply: reply) { _ throws(Problem) in
            try Self.reporting("uri") { () throws(MediaError) in try services.media.folderPicture(locator) }
        } use: { picture throws(Problem) in
            try services.answer(with: picture, size: size, request, reply)
        }
    }

    static func tag(_ picture: [UInt8], _ suffix: String = "") -> EntityTag {
        EntityTag(String(StableHash(of: picture).value, radix: 36) + suffix)
    }

    static func reporting<Value>(_ member: String, _ body: () throws(MediaError) -> Value) throws(Problem)
        -> Value
    {
        do {
            return try body()
        } catch {
            throw Problem(error, member: member)
        }
    }

    /// The bytes come from a stranger's file: the type is taken from them, not from the tag, and a browser that opens
    /// them runs nothing.
    static func response(
        _ picture: [UInt8]?, _ request: HTTPRequest, tag given: EntityTag? = nil
    ) throws(Problem) -> HTTPResponse {
        guard let picture else { throw .notFound("This media carries no picture.", code: "no-artwork") }
        let tag = given ?? Self.tag(picture)
        let headers = [("ETag", tag.description), ("Cache-Control", "private, no-cache")]
        if request.headers.ifNoneMatchRefuses(tag) == true {
            return HTTPResponse(status: 304, headers: HTTPHeaders(headers))
        }
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
