// SPDX-License-Identifier: Apache-2.0

import Service
import HTTP

/// `/library`: the music by tags, and scans.
extension PlayerContext {
    static let library = "/api/v1/library"

    var libraryRoutes: [Route] {
        [
            .show(Self.library, { _ throws(Problem) in try server.library().status }) { $0.members(of: $1) },
            .write(.post, Self.library + "/scan") { call, reply throws(Problem) in
                let status = try server.scanLibrary(
                    rereads: try call.body.members("reread").flag("reread") ?? false)
                reply(.json(status: 202) { $0.members(of: status) })
            },
            page("artists", filters: ["genre", "year"], orders: [.name, .added], { $0.artists }) { $0.members(of: $1) },
            page(
                "albums", filters: ["artist", "genre", "year"], orders: CatalogueWindow.Order.allCases, { $0.albums }
            ) { $0.members(of: $1) },
            page(
                "tracks", filters: ["artist", "album", "genre", "year"], orders: CatalogueWindow.Order.allCases,
                { $0.tracks }
            ) { $0.members(of: $1) },
            page(
                "genres", filters: [], orders: [.name],
                { library in { _, window throws(CatalogueError) in try library.genres(window) } }
            ) { $0.members(of: $1) },
            single("artists", .artist, { $0.artist }) { $0.members(of: $1) },
            single(
                "albums", .album,
                { library in
                    { id throws(CatalogueError) -> (album: Album, tracks: [Track]) in
                        let album = try library.album(id)
                        let tracks = try library.tracks(CatalogueFilter(album: id), CatalogueWindow(limit: 1_000))
                        return (album, tracks.entries)
                    }
                }
            ) { writer, found in
                writer.members(of: found.album)
                writer.member("items", objects: found.tracks) { $0.members(of: $1) }
            },
            single("genres", .genre, { $0.genre }) { $0.members(of: $1) },
            single("tracks", .track, { $0.track }) { $0.members(of: $1) },
            .get(Self.library + "/search", query: ["q", "types", "limit"]) { call, reply throws(Problem) in
                try search(call, reply)
            },
        ]
    }

    private typealias Write<Value> = @Sendable (inout JSONWriter, Value) -> Void

    private func page<Entry>(
        _ name: String, filters: [String], orders: [CatalogueWindow.Order],
        _ read:
            @escaping @Sendable (any MusicLibrary) -> (CatalogueFilter, CatalogueWindow) throws(CatalogueError) ->
            CataloguePage<Entry>,
        _ write: @escaping Write<Entry>
    ) -> Route {
        .get("\(Self.library)/\(name)", query: filters + ["sort", "offset", "limit"]) { call, reply throws(Problem) in
            let library = try server.library()
            let query = call.query
            let filter = CatalogueFilter(
                artist: try Self.id(query, "artist", .artist), album: try Self.id(query, "album", .album),
                genre: try Self.id(query, "genre", .genre), year: try query.integer("year", in: 0...9999))
            let sort = try query.text("sort") ?? "name"
            guard let order = orders.first(where: { $0.rawValue == sort }) else {
                let known = orders.map(\.rawValue).joined(separator: ", ")
                throw .invalid("sort", "sort must be one of: \(known).")
            }
            let (offset, limit) = try query.window()
            let window = CatalogueWindow(offset: offset, limit: limit, order: order)
            try respond(call.request, library, reply) { library throws(CatalogueError) in
                let page = try read(library)(filter, window)
                return JSONWriter.object(capacity: 256 + 320 * page.entries.count) { writer in
                    writer.member("revision", page.revision)
                    writer.member("length", page.length)
                    writer.member("offset", page.offset)
                    writer.member("items", objects: page.entries, write)
                }
            }
        }
    }

    private func single<Entry>(
        _ name: String, _ kind: CatalogueID.Kind,
        _ read: @escaping @Sendable (any MusicLibrary) -> (CatalogueID) throws(CatalogueError) -> Entry,
        _ write: @escaping Write<Entry>
    ) -> Route {
        .get("\(Self.library)/\(name)/{id}") { call, reply throws(Problem) in
            let id = try catalogueID(call, kind)
            let library = try server.library()
            try respond(call.request, library, reply) { library throws(CatalogueError) in
                let entry = try read(library)(id)
                return JSONWriter.object(capacity: 4_096) { write(&$0, entry) }
            }
        }
    }

    /// Replies with the library's revision as entity tag, so that an unchanged library is not read.
    private func respond(
        _ request: HTTPRequest, _ library: any MusicLibrary, _ reply: @escaping Reply,
        _ read: @escaping @Sendable (any MusicLibrary) throws(CatalogueError) -> [UInt8]
    ) throws(Problem) {
        let tag = EntityTag("\(epoch).library.\(library.status.revision)")
        if let response = request.notModified(tag) { return reply(response) }
        server.askLibrary(reply: answering(reply) { .content($0, "application/json", tag.fields()) }, read)
    }

    private func search(_ call: APICall, _ reply: @escaping Reply) throws(Problem) {
        let library = try server.library()
        let query = call.query
        guard let text = try query.text("q", maximum: 250) else {
            throw .invalid("q", "The query parameter q is needed: the words to look for.")
        }
        let names = try query.text("types")?.split(separator: ",").map { SearchKind(rawValue: String($0)) }
        guard names?.contains(nil) != true else {
            let known = SearchKind.allCases.map(\.rawValue).joined(separator: ", ")
            throw .invalid("types", "types must be some of: \(known).")
        }
        let kinds = names.map { Set($0.compactMap(\.self)) } ?? SearchKind.usual
        let limit = try query.integer("limit", in: 1...200) ?? 20
        // Playlists change independently of the library, whose tag is not valid for them.
        guard !kinds.contains(.playlists) else {
            return server.search(
                text, kinds: kinds, limit: limit, reply: answering(reply) { .json(Self.encode($0, kinds)) })
        }
        try respond(call.request, library, reply) { library throws(CatalogueError) in
            Self.encode(try library.search(text, kinds: kinds, limit: limit), kinds)
        }
    }

    /// The usual types are always present, the others only on request.
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

extension PlayerContext {
    func catalogueID(_ call: APICall, _ kind: CatalogueID.Kind) throws(Problem) -> CatalogueID {
        // A missing library takes precedence over a wrong id.
        _ = try server.library()
        guard let id = CatalogueID(call.parameters[0]), id.kind == kind else {
            throw .notFound("There is no \(call.parameters[0].prefix(40)) in the library.", code: "unknown-entry")
        }
        return id
    }
}
