// SPDX-License-Identifier: Apache-2.0

import Kernel
import Service
import HTTP
import Playback

extension StrictObject {
    func uri() throws(Problem) -> String {
        let text = try text("uri", maximum: ItemRequest.maximumURILength).flatMap { $0.isEmpty ? nil : $0 }
        return try needed(text, "uri", "is needed and must not be empty")
    }

    /// The address of a picture. Only http and https are fetched; a text without a scheme may be a path known to the
    /// client.
    func artworkURI() throws(Problem) -> String? {
        guard let text = try text("artworkUri", maximum: ItemRequest.maximumURILength) else { return nil }
        let scheme = text.prefix { $0.isASCII && ($0.isLetter || $0.isNumber || "+.-".contains($0)) }
        let hasScheme = scheme.first?.isLetter == true && text[scheme.endIndex...].hasPrefix(":")
        guard !hasScheme || MediaLocator.isNetwork(text) else {
            throw invalid("artworkUri", "must be a web address such as https://host/path")
        }
        return text
    }
}

/// One entry of `items`.
extension ItemRequest: JSONReadable {
    private static let maximumHeaders = 32

    private static let members = [
        "uri", "title", "artist", "album", "artworkUri", "beginTime", "loops", "headers", "folder",
        "playlist", "track", "genre", "list", "expand", "reach",
    ]

    init(_ json: JSONNode) throws(Problem) {
        let object = try StrictObject(json, Self.members)
        if let several = try Self.several(object) {
            self = several
            return
        }
        if let folder = try object.text("folder", maximum: Self.maximumURILength) {
            try object.rejectAll(except: ["folder"], "cannot be given together with folder")
            self = .folder(folder)
            return
        }
        if let list = try object.text("list", maximum: Self.maximumURILength) {
            try object.rejectAll(except: ["list", "headers"], "cannot be given together with list")
            self = .list(
                MediaLocator(uri: list, headers: try object.nested(HeaderMap.self, "headers")?.headers ?? [:]))
            return
        }
        let uri = try object.uri()
        if object.hasOnlyOne {
            self = .uri(uri)
            return
        }
        for name in ["playlist", "track", "genre"] where object.has(name) {
            throw object.invalid(name, "cannot be given together with uri")
        }
        self = .media(
            ItemDraft(
                uri: uri, title: try object.text("title"), artist: try object.text("artist"),
                album: try object.text("album"),
                artworkURI: try object.artworkURI(),
                beginTime: try object.number("beginTime", in: mediaSeconds) ?? 0,
                loops: try object.integer("loops", in: -1...1_000_000) ?? 0,
                headers: try object.nested(HeaderMap.self, "headers")?.headers ?? [:],
                reach: try object.choice("reach", NetworkReach.self) ?? .anywhere),
            expands: try object.flag("expand"))
    }

    /// Without a `uri`, `album` and `artist` are ids; with a `uri` they are display texts.
    private static func several(_ object: StrictObject) throws(Problem) -> ItemRequest? {
        guard !object.has("uri"), !object.has("folder"), !object.has("list") else { return nil }
        let kinds: [(name: String, kind: CatalogueID.Kind?)] = [
            ("playlist", nil), ("album", .album), ("artist", .artist), ("track", .track), ("genre", .genre),
        ]
        for (name, kind) in kinds {
            guard let text = try object.text(name) else { continue }
            try object.rejectAll(except: [name], "cannot be given together with \(name) and without uri")
            if let kind {
                let id = CatalogueID(text).flatMap { $0.kind == kind ? $0 : nil }
                return id.map { .library($0) } ?? .unknown(member: name, id: text)
            }
            return PlaylistID(text).map { .playlist($0) } ?? .unknown(member: name, id: text)
        }
        return nil
    }

    /// Header fields for network sources: names are tokens, and values contain no line break.
    private struct HeaderMap: JSONReadable {
        var headers: [String: String] = [:]

        init(_ json: JSONNode) throws(Problem) {
            let object = try StrictObject(json)
            let names = object.names
            guard names.count <= ItemRequest.maximumHeaders else {
                throw json.invalid("must have at most \(ItemRequest.maximumHeaders) headers")
            }
            for name in names {
                guard (1...128).contains(name.utf8.count), name.utf8.allSatisfy(HTTPToken.contains) else {
                    throw object.invalid(name, "is not a header name")
                }
                let value = try object.needed(object.text(name), name, "must be text")
                guard value.utf8.allSatisfy({ $0 >= 32 && $0 != 127 || $0 == 9 }) else {
                    throw object.invalid(name, "contains a control character")
                }
                headers[name] = value
            }
        }
    }
}
