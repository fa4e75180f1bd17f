// SPDX-License-Identifier: Apache-2.0

import HTTP
import Playback
import Service

/// `/playlists`: saved lists of media. Changes honour `If-Match`. All players share the lists; below a player's path,
/// `fromQueue` means its queue, and `play` replaces that.
extension PlayerContext {
    private static let base = "/api/v1/playlists"

    var playlistRoutes: [Route] {
        let single = Self.base + "/{id}"
        return [
            .get(Self.base) { _, reply in
                server.playlists(
                    reply: object(reply) { writer, lists in
                        writer.member("playlists", objects: lists) { $0.members(of: $1) }
                    })
            },
            .write(.post, Self.base, largestBody: Route.listBody) { call, reply throws(Problem) in
                let request = try PlaylistRequest(call.body, player)
                let created: ServiceReply<ChangedPlaylist> = answering(reply) { changed in
                    Self.answer(changed, status: 201, [("Location", path.of("\(Self.base)/\(changed.list.id)"))])
                }
                server.createPlaylist(
                    try request.requiredName(), try request.requiredContent(), for: call.caller, reply: created)
            },
            .get(single + "/m3u8") { call, reply throws(Problem) in
                let id = try Self.id(call)
                try read(id, call.request, offset: 0, limit: .max, reply) { found in
                    let text = ExtendedM3U.text(name: found.list.name, entries: found.entries)
                    let disposition = "attachment; filename=\"playlist-\(id).m3u8\""
                    return (
                        Array(text.utf8), "audio/x-mpegurl; charset=utf-8", [("Content-Disposition", disposition)]
                    )
                }
            },
            .get(single, query: ["offset", "limit"]) { call, reply throws(Problem) in
                let id = try Self.id(call)
                let (offset, limit) = try call.query.window()
                // Taken before the catalogue is read: an answer may be newer than its tag, never older.
                let texts = server.details.revision.map { ".\(epoch).\($0)" } ?? ""
                try read(id, call.request, offset: offset, limit: limit, texts: texts, reply) { found in
                    // This is the library's thread.
                    let entries = server.described(found.entries)
                    let bytes = JSONWriter.object(capacity: 4_096) { writer in
                        writer.members(of: found.list)
                        writer.member("offset", offset)
                        writer.member("items", objects: entries) { $0.members(of: $1, server.parts.sealed) }
                    }
                    return (bytes, "application/json", [])
                }
            },
            .write(.put, single, largestBody: Route.listBody) { call, reply throws(Problem) in
                let request = try PlaylistRequest(call.body, player)
                try change(call, request.name, try request.requiredContent(), { .replace($0) }, reply)
            },
            .write(.patch, single) { call, reply throws(Problem) in
                let request = try PlaylistRequest(call.body, player)
                guard request.content == nil, !request.hasRules else {
                    throw .invalid("items", "PATCH changes the name; PUT replaces the items.")
                }
                try change(call, try request.requiredName(), nil, { .replace($0) }, reply)
            },
            .write(.post, single + "/items", largestBody: Route.listBody) { call, reply throws(Problem) in
                let request = try PlaylistRequest(call.body, player)
                guard request.name == nil else { throw .invalid("name", "name is not known here; PATCH changes it.") }
                try change(call, nil, try request.requiredContent(), { .append($0) }, reply)
            },
            .delete(single) { call, reply throws(Problem) in
                let id = try Self.id(call)
                let expected = Self.expected(id, call)
                server.removePlaylist(id, expected: expected) { result in
                    done(reply)(Self.tagged(result, id))
                }
            },
            .write(.post, single + "/play") { call, reply throws(Problem) in
                let id = try Self.id(call)
                let index = try call.body.members("index").integer("index", in: 0...10_000_000)
                verbs.play(id, from: index, reply: state(reply))
            },
        ]
    }

    private typealias Found = (list: Playlist, entries: [PlaylistEntry])

    private func read(
        _ id: PlaylistID, _ request: HTTPRequest, offset: Int, limit: Int, texts: String = "", _ reply: @escaping Reply,
        _ write: @escaping @Sendable (Found) -> (body: [UInt8], type: String, headers: [(String, String)])
    ) throws(Problem) {
        server.playlist(
            id, offset: offset, limit: limit,
            reply: answering(reply) { found in
                let tag = RevisionTag.of(id, found.list.revision, texts: texts)
                if let response = request.notModified(tag) { return response }
                let (body, type, headers) = write(found)
                return .content(body, type, headers + tag.fields())
            })
    }

    private func change(
        _ call: APICall, _ name: String?, _ content: PlaylistContent?,
        _ kind: @escaping @Sendable ([PlaylistEntry]) -> PlaylistChange, _ reply: @escaping Reply
    ) throws(Problem) {
        let id = try Self.id(call)
        let expected = Self.expected(id, call)
        server.changePlaylist(
            id, name: name, content: content, kind, expected: expected, for: call.caller
        ) { result in
            answering(reply) { Self.answer($0) }(Self.tagged(result, id))
        }
    }

    private static func id(_ call: APICall) throws(Problem) -> PlaylistID {
        try PlaylistID(call.parameters[0]).orThrow(.unknownPlaylist(call.parameters[0]))
    }

    private static func expected(_ id: PlaylistID, _ call: APICall) -> [UInt64]? {
        RevisionTag.revisions(in: call.command.expectedTags, of: id.description)
    }

    /// Adds the current tag to a revision mismatch.
    private static func tagged<Value>(_ result: Result<Value, Problem>, _ id: PlaylistID) -> Result<Value, Problem> {
        result.mapError { problem in
            guard let revision = problem.revision else { return problem }
            return problem.with("ETag", RevisionTag.of(id, revision).description)
        }
    }

    private static func answer(
        _ changed: ChangedPlaylist, status: Int = 200, _ headers: [(String, String)] = []
    ) -> HTTPResponse {
        let bytes = JSONWriter.object { writer in
            writer.members(of: changed.list)
            writer.members(of: changed.found.skipped)
        }
        let tag = RevisionTag.of(changed.list.id, changed.list.revision)
        return .json(bytes, status: status, [("ETag", tag.description)] + headers)
    }
}

/// A body of `/playlists`: a name, and either entries or the current queue.
struct PlaylistRequest {
    /// The most entries of a playlist.
    private static let maximumLength = 100_000
    static let maximumNameLength = 100

    private(set) var name: String?
    private(set) var content: PlaylistContent?
    /// The request has members of `AddingRules`.
    private(set) var hasRules = false

    /// `player`: its queue is the content if the request asks for that.
    init(_ body: JSONBody, _ player: any PlayerControl) throws(Problem) {
        let tooLong = Problem.tooLarge(
            "A playlist holds at most \(Self.maximumLength) entries.", code: "playlist-full")
        self = try body.list("items", of: ItemRequest.self, atMost: Self.maximumLength, tooLong) {
            json, items throws(Problem) in try PlaylistRequest(json, items, player)
        }
    }

    private init(_ json: JSONNode, _ items: [ItemRequest], _ player: any PlayerControl) throws(Problem) {
        let object = try StrictObject(json, ["name", "items", "fromQueue"] + AddingRules.members)
        if object.contains("name") {
            let name = try object.text("name", maximum: Self.maximumNameLength) ?? ""
            guard name.unicodeScalars.contains(where: { !$0.properties.isWhitespace }) else {
                throw object.invalid("name", "must not be empty")
            }
            guard !name.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) else {
                throw object.invalid("name", "contains a control character")
            }
            self.name = name
        }
        hasRules = AddingRules.members.contains(where: object.contains)
        let rules = try AddingRules(object)
        let hasItems = try object.nested([ItemRequest].self, "items") != nil
        if try object.flag("fromQueue") ?? false {
            guard !hasItems else { throw object.invalid("items", "cannot be given together with fromQueue") }
            content = .queue(player)
        } else if hasItems {
            content = .items(items, rules)
        }
    }

    func requiredName() throws(Problem) -> String { try name.orThrow(.invalid("name", "name is needed.")) }

    func requiredContent() throws(Problem) -> PlaylistContent {
        try content.orThrow(.invalid("items", "items is needed: a list as for the queue; or fromQueue: true."))
    }
}

/// A saved playlist as a file that other players read: M3U in UTF-8.
enum ExtendedM3U {
    static func text(name: String, entries: some Sequence<PlaylistEntry>) -> String {
        var lines = ["#EXTM3U", "#PLAYLIST:" + line(name)]
        for entry in entries {
            let uri = PublicURI.text(entry.uri)
            // A line cannot contain a line break, and # at its beginning would make it a comment.
            guard uri == line(uri) else { continue }
            if let title = entry.title {
                lines.append("#EXTINF:0," + line(entry.artist.map { "\($0) - \(title)" } ?? title))
            }
            if let album = entry.album { lines.append("#EXTALB:" + line(album)) }
            lines.append(uri.hasPrefix("#") ? "./" + uri : uri)
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private static func line(_ text: String) -> String {
        String(
            String.UnicodeScalarView(text.unicodeScalars.map { $0.properties.generalCategory == .control ? " " : $0 }))
    }
}
