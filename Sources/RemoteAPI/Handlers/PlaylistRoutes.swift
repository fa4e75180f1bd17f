// SPDX-License-Identifier: Apache-2.0

import Catalogue
import HTTP
import Playback

/// `/playlists`: saved lists of media. Changes honour `If-Match`.
struct PlaylistRoutes: Sendable {
    static let base = "/api/v1/playlists"

    let services: Services

    var routes: [Route] {
        let single = Self.base + "/{id}"
        return [
            .get(Self.base) { _, reply throws(Problem) in
                let keeper = try services.requirePlaylists()
                try services.onLibrary(reply: reply) { () throws(Problem) in
                    let lists = try Problem.fromPlaylist(nil) { () throws(PlaylistError) in try keeper.playlists() }
                    reply(
                        .json(
                            JSONWriter.object { writer in
                                writer.member("playlists", array: lists) { writer, list in
                                    writer.object { $0.members(of: list) }
                                }
                            }))
                }
            },
            .post(Self.base, largestBody: Route.listBody) { call, reply throws(Problem) in
                let request = try call.list(PlaylistRequest.self)
                let keeper = try services.requirePlaylists()
                let name = try request.requiredName()
                try entries(try request.requiredContent(), for: call.request.client, reply) { entries throws(Problem) in
                    let list = try Problem.fromPlaylist(nil) { () throws(PlaylistError) in
                        try keeper.create(name: name, entries: entries)
                    }
                    reply(Self.answer(list, status: 201, [("Location", "\(Self.base)/\(list.id)")]))
                }
            },
            .get(single + "/m3u8") { call, reply throws(Problem) in try export(call, reply) },
            .get(single, takesQuery: true) { call, reply throws(Problem) in try read(call, reply) },
            .put(single, largestBody: Route.listBody) { call, reply throws(Problem) in
                let request = try call.list(PlaylistRequest.self)
                let content = try request.requiredContent()
                try change(call, request.name, content, { .replace($0) }, reply)
            },
            .patch(single) { call, reply throws(Problem) in
                let request = try call.list(PlaylistRequest.self)
                guard request.content == nil else {
                    throw .invalid("items", "PATCH changes the name; PUT replaces the items.")
                }
                try change(call, try request.requiredName(), nil, { .replace($0) }, reply)
            },
            .post(single + "/items", largestBody: Route.listBody) { call, reply throws(Problem) in
                let request = try call.list(PlaylistRequest.self)
                guard request.name == nil else { throw .invalid("name", "name is not known here; PATCH changes it.") }
                try change(call, nil, try request.requiredContent(), { .append($0) }, reply)
            },
            .delete(single) { call, reply throws(Problem) in
                _ = try call.body(EmptyBody.self)
                let id = try Self.id(call)
                let keeper = try services.requirePlaylists()
                let expected = PlaylistTag.expectedRevision(id, call.request.headers)
                try services.onLibrary(reply: reply) { () throws(Problem) in
                    try Problem.fromPlaylist(id) { () throws(PlaylistError) in
                        try keeper.remove(id, expected: expected)
                    }
                    reply(HTTPResponse(status: 204))
                }
            },
            .post(single + "/play") { call, reply throws(Problem) in try play(call, reply) },
        ]
    }

    private func read(_ call: APICall, _ reply: @escaping Reply) throws(Problem) {
        let id = try Self.id(call)
        let keeper = try services.requirePlaylists()
        let query = try Query(call.request, known: ["offset", "limit"])
        let offset = try query.integer("offset", in: 0...10_000_000, default: 0)
        let limit = try query.integer("limit", in: 0...1000, default: 100)
        try services.onLibrary(reply: reply) { () throws(Problem) in
            let found = try Problem.fromPlaylist(id) { () throws(PlaylistError) in try keeper.playlist(id) }
            let tag = PlaylistTag(id: id, revision: found.list.revision).tag
            let headers = [("ETag", tag.description), ("Cache-Control", "no-cache")]
            if call.request.headers.ifNoneMatchRefuses(tag) == true {
                return reply(HTTPResponse(status: 304, headers: HTTPHeaders(headers)))
            }
            let bytes = JSONWriter.object(capacity: 4_096) { writer in
                writer.members(of: found.list)
                writer.member("offset", offset)
                writer.member("items", array: found.entries.dropFirst(offset).prefix(limit)) { writer, entry in
                    writer.object { $0.members(of: entry) }
                }
            }
            reply(
                HTTPResponse(
                    status: 200, headers: HTTPHeaders([("Content-Type", "application/json")] + headers),
                    body: .bytes(bytes)))
        }
    }

    private func export(_ call: APICall, _ reply: @escaping Reply) throws(Problem) {
        let id = try Self.id(call)
        let keeper = try services.requirePlaylists()
        try services.onLibrary(reply: reply) { () throws(Problem) in
            let found = try Problem.fromPlaylist(id) { () throws(PlaylistError) in try keeper.playlist(id) }
            let tag = PlaylistTag(id: id, revision: found.list.revision).tag
            let headers = [("ETag", tag.description), ("Cache-Control", "no-cache")]
            if call.request.headers.ifNoneMatchRefuses(tag) == true {
                return reply(HTTPResponse(status: 304, headers: HTTPHeaders(headers)))
            }
            let text = ExtendedM3U.text(name: found.list.name, entries: found.entries)
            reply(
                HTTPResponse(
                    status: 200,
                    headers: HTTPHeaders(
                        headers + [
                            ("Content-Type", "audio/x-mpegurl; charset=utf-8"),
                            ("Content-Disposition", "attachment; filename=\"playlist-\(id).m3u8\""),
                        ]), body: .bytes(Array(text.utf8))))
        }
    }

    private func change(
        _ call: APICall, _ name: String?, _ content: PlaylistRequest.Content?,
        _ kind: @escaping @Sendable ([PlaylistEntry]) -> PlaylistChange, _ reply: @escaping Reply
    ) throws(Problem) {
        let id = try Self.id(call)
        let keeper = try services.requirePlaylists()
        let expected = PlaylistTag.expectedRevision(id, call.request.headers)
        let store: @Sendable (PlaylistChange?) throws(Problem) -> Void = { change throws(Problem) in
            let list = try Problem.fromPlaylist(id) { () throws(PlaylistError) in
                try keeper.change(id, name: name, entries: change, expected: expected)
            }
            reply(Self.answer(list))
        }
        guard let content else {
            return try services.onLibrary(reply: reply) { () throws(Problem) in try store(nil) }
        }
        try entries(content, for: call.request.client, reply) { entries throws(Problem) in
            try store(kind(entries))
        }
    }

    private func play(_ call: APICall, _ reply: @escaping Reply) throws(Problem) {
        let id = try Self.id(call)
        let request = try call.body(PlaylistPlayRequest.self)
        _ = try services.requirePlaylists()
        try services.onLibrary(reply: reply) { () throws(Problem) in
            let drafts = try services.entries(of: id).map(ItemDraft.init)
            guard !drafts.isEmpty else {
                throw Problem(
                    status: 409, code: "playlist-empty", title: "Not possible in this state",
                    detail: "There is nothing in the playlist.")
            }
            if let index = request.index, index >= drafts.count {
                throw .invalid("index", "index must be less than the number of items.")
            }
            let edit = QueueEdit.replace(drafts, startIndex: request.index)
            services.perform(.edit(edit, expected: nil, play: true), reply: reply) { snapshot in
                .json(services.encode(snapshot))
            }
        }
    }

    /// Makes entries of what a request lists, on a worker.
    private func entries(
        _ content: PlaylistRequest.Content, for client: APIClient, _ reply: @escaping Reply,
        then use: @escaping @Sendable ([PlaylistEntry]) throws(Problem) -> Void
    ) throws(Problem) {
        switch content {
        case .items(let items):
            try QueueItemExpansion(services: services).drafts(items, for: client, reply) { drafts throws(Problem) in
                try services.onLibrary(reply: reply) { () throws(Problem) in
                    try use(
                        drafts.items.map(PlaylistEntry.init))
                }
            }
        case .queue:
            try services.onLibrary(reply: reply) { () throws(Problem) in
                let window = services.player.queueWindow(offset: 0, limit: Queue.maximumLength)
                try use(
                    window.items.map { PlaylistEntry($0.draft) })
            }
        }
    }

    private static func id(_ call: APICall) throws(Problem) -> PlaylistID {
        guard let id = PlaylistID(call.parameters[0]) else { throw .unknownPlaylist(call.parameters[0]) }
        return id
    }

    private static func answer(_ list: Playlist, status: Int = 200, _ headers: [(String, String)] = []) -> HTTPResponse
    {
        .json(
            JSONWriter.object { $0.members(of: list) }, status: status,
            [("ETag", PlaylistTag(id: list.id, revision: list.revision).tag.description)] + headers)
    }
}
