// SPDX-License-Identifier: Apache-2.0

import Service
import HTTP

/// `/library`: the music by its tags, and its scans.
struct LibraryRoutes: Sendable {
    static let base = "/api/v1/library"

    let services: Services

    var routes: [Route] {
        [
            .get(Self.base) { call, reply throws(Problem) in
                let status = try services.server.library().status
                reply(.json { $0.members(of: status) })
            },
            .post(Self.base + "/scan") { call, reply throws(Problem) in
                let request = try call.body(LibraryScanRequest.self)
                let status = try services.server.scanLibrary(rereads: request.rereads)
                reply(.json(JSONWriter.object { $0.members(of: status) }, status: 202))
            },
            page("artists", filters: ["genre", "year"], orders: [.name, .added]) {
                library, filter, window throws(CatalogueError) in
                let page = try library.artists(filter, window)
                return JSONWriter.object(capacity: 4096) { $0.members(of: page) { $0.members(of: $1) } }
            },
            page("albums", filters: ["artist", "genre", "year"], orders: CatalogueWindow.Order.allCases) {
                library, filter, window throws(CatalogueError) in
                let page = try library.albums(filter, window)
                return JSONWriter.object(capacity: 16_384) { $0.members(of: page) { $0.members(of: $1) } }
            },
            page("tracks", filters: ["artist", "album", "genre", "year"], orders: CatalogueWindow.Order.allCases) {
                library, filter, window throws(CatalogueError) in
                let page = try library.tracks(filter, window)
                return JSONWriter.object(capacity: 32_768) { $0.members(of: page) { $0.members(of: $1) } }
            },
            page("genres", filters: [], orders: [.name]) { library, _, window throws(CatalogueError) in
                let page = try library.genres(window)
                return JSONWriter.object(capacity: 4096) { $0.members(of: page) { $0.members(of: $1) } }
            },
            single("artists", .artist) { library, id throws(CatalogueError) in
                let artist = try library.artist(id)
                return JSONWriter.object { $0.members(of: artist) }
            },
            single("albums", .album) { library, id throws(CatalogueError) in
                let album = try library.album(id)
                let tracks = try library.tracks(CatalogueFilter(album: id), CatalogueWindow(limit: 1_000)).entries
                return JSONWriter.object(capacity: 8_192) { writer in
                    writer.members(of: album)
                    writer.member("items", objects: tracks) { $0.members(of: $1) }
                }
            },
            single("genres", .genre) { library, id throws(CatalogueError) in
                let genre = try library.genre(id)
                return JSONWriter.object { $0.members(of: genre) }
            },
            single("tracks", .track) { library, id throws(CatalogueError) in
                let track = try library.track(id)
                return JSONWriter.object { $0.members(of: track) }
            },
            .get(Self.base + "/search", takesQuery: true) { call, reply throws(Problem) in
                try search(call.request, reply)
            },
        ]
    }

    private func page(
        _ name: String, filters: [String], orders: [CatalogueWindow.Order],
        _ read:
            @escaping @Sendable (any MusicLibrary, CatalogueFilter, CatalogueWindow) throws(CatalogueError) -> [UInt8]
    ) -> Route {
        .get("\(Self.base)/\(name)", takesQuery: true) { call, reply throws(Problem) in
            let library = try services.server.library()
            let query = try Query(call.request, known: filters + ["sort", "offset", "limit"])
            let filter = CatalogueFilter(
                artist: try Self.id(query, "artist", .artist), album: try Self.id(query, "album", .album),
                genre: try Self.id(query, "genre", .genre),
                year: try query.text("year") == nil ? nil : try query.integer("year", in: 0...9999, default: 0))
            let sort = try query.text("sort") ?? "name"
            guard let order = orders.first(where: { $0.rawValue == sort }) else {
                let known = orders.map(\.rawValue).joined(separator: ", ")
                throw .invalid("sort", "sort must be one of: \(known).")
            }
            let window = CatalogueWindow(
                offset: try query.integer("offset", in: 0...10_000_000, default: 0),
                limit: try query.integer("limit", in: 0...1000, default: 100), order: order)
            try respond(call.request, library, reply) { library throws(CatalogueError) in
                try read(library, filter, window)
            }
        }
    }

    private func single(
        _ name: String, _ kind: CatalogueID.Kind,
        _ read: @escaping @Sendable (any MusicLibrary, CatalogueID) throws(CatalogueError) -> [UInt8]
    ) -> Route {
        .get("\(Self.base)/\(name)/{id}") { call, reply throws(Problem) in
            let id = try services.catalogueID(call, kind)
            let library = try services.server.library()
            try respond(call.request, library, reply) { library throws(CatalogueError) in try read(library, id) }
        }
    }

    /// With the library's revision as entity tag: what has not changed is not read.
    private func respond(
        _ request: HTTPRequest, _ library: any MusicLibrary, _ reply: @escaping Reply,
        _ read: @escaping @Sendable (any MusicLibrary) throws(CatalogueError) -> [UInt8]
    ) throws(Problem) {
        let tag = EntityTag("\(services.epoch).library.\(library.status.revision)")
        let headers = [("ETag", tag.description), ("Cache-Control", "no-cache")]
        if let response = request.notModified(tag, headers) { return reply(response) }
        services.server.askLibrary(
            reply: answering(reply) { bytes in
                HTTPResponse(
                    status: 200, headers: HTTPHeaders([("Content-Type", "application/json")] + headers),
                    body: .bytes(bytes))
            }, read)
    }

    private func search(_ request: HTTPRequest, _ reply: @escaping Reply) throws(Problem) {
        let library = try services.server.library()
        let query = try Query(request, known: ["q", "types", "limit"])
        guard let text = try query.text("q", maximum: 250) else {
            throw .invalid("q", "The query parameter q is needed: the words to look for.")
        }
        var kinds = SearchKind.usual
        if let types = try query.text("types") {
            kinds = []
            for name in types.split(separator: ",") {
                guard let kind = SearchKind(rawValue: String(name)) else {
                    throw .invalid(
                        "types",
                        "types must be some of: \(SearchKind.allCases.map(\.rawValue).joined(separator: ", ")).")
                }
                kinds.insert(kind)
            }
        }
        let limit = try query.integer("limit", in: 1...200, default: 20)
        let wanted = kinds
        let write: @Sendable (SearchResult) -> [UInt8] = { Self.encode($0, wanted) }
        // Playlists change without the library.
        guard !kinds.contains(.playlists) else {
            return services.server.search(
                text, kinds: kinds, limit: limit,
                reply: answering(reply) { .json(write($0)) })
        }
        try respond(request, library, reply) { library throws(CatalogueError) in
            write(try library.search(text, kinds: wanted, limit: limit))
        }
    }

    /// The usual types always, the others where they were asked for.
    private static func encode(_ result: SearchResult, _ kinds: Set<SearchKind>) -> [UInt8] {
        JSONWriter.object(capacity: 8_192) { writer in
            writer.member("artists", objects: result.artists) { $0.members(of: $1) }
            writer.member("albums", objects: result.albums) { $0.members(of: $1) }
            writer.member("tracks", objects: result.tracks) { $0.members(of: $1) }
            if kinds.contains(.genres) {
                writer.member("genres", objects: result.genres) { $0.members(of: $1) }
            }
            if kinds.contains(.folders) {
                writer.member("folders", objects: result.folders) { writer, path in
                    writer.member("path", path)
                    writer.member("name", path.split(separator: "/").last.map(String.init) ?? path)
                }
            }
            if kinds.contains(.playlists) {
                writer.member("playlists", objects: result.playlists) { $0.members(of: $1) }
            }
        }
    }

    private static func id(_ query: Query, _ name: String, _ kind: CatalogueID.Kind) throws(Problem) -> CatalogueID? {
        guard let text = try query.text(name) else { return nil }
        guard let id = CatalogueID(text), id.kind == kind else {
            throw .invalid(name, "\(name) must be the id of one, as the library lists them.")
        }
        return id
    }
}

extension Services {
    func catalogueID(_ call: APICall, _ kind: CatalogueID.Kind) throws(Problem) -> CatalogueID {
        // Without a library, that is the first refusal.
        _ = try server.library()
        guard let id = CatalogueID(call.parameters[0]), id.kind == kind else {
            throw .notFound("There is no \(call.parameters[0].prefix(40)) in the library.", code: "unknown-entry")
        }
        return id
    }
}

/// `POST /library/scan`
struct LibraryScanRequest: JSONReadable {
    /// Also files that did not change.
    var rereads: Bool

    init(_ json: JSONNode) throws(Problem) {
        rereads = try StrictObject(json, ["reread"]).flag("reread") ?? false
    }
}
