// SPDX-License-Identifier: Apache-2.0

import Catalogue
import HTTP
import Playback

extension Services {
    func requireLibrary() throws(Problem) -> any MusicLibrary {
        guard let library else {
            throw .notFound(
                "There is no music library: the server runs without music folders or with --library off.",
                code: "no-library")
        }
        return library
    }

    func requirePlaylists() throws(Problem) -> any PlaylistKeeper {
        guard let playlists else { throw .notFound("This server keeps no playlists.", code: "no-playlists") }
        return playlists
    }

    /// Runs what reads or changes what is kept in files (the library, playlists, the cache), away from the server's threads.
    func onLibrary(reply: @escaping Reply, _ job: @escaping @Sendable () throws(Problem) -> Void) throws(Problem) {
        let isTaken = libraryWorker.submit {
            do throws(Problem) {
                try job()
            } catch {
                reply(error.response)
            }
        }
        if !isTaken { throw .busy("Too many requests to the library, the playlists and the cache are under way.") }
    }

    /// All media of an artist, album, genre or track, in the order in which they are listed.
    func media(of id: CatalogueID, limit: Int) throws(Problem) -> QueueItemExpansion.Drafts {
        let library = try requireLibrary()
        return try Problem.fromCatalogue { () throws(CatalogueError) in
            var filter = CatalogueFilter()
            switch id.kind {
            case .track: return QueueItemExpansion.Drafts(items: [ItemDraft(uri: try library.track(id).uri)])
            case .artist: filter.artist = try library.artist(id).id
            case .album: filter.album = try library.album(id).id
            case .genre: filter.genre = id
            }
            let page = try library.tracks(filter, CatalogueWindow(limit: limit))
            // An artist or album has tracks, or it would not be there.
            if page.length == 0 { throw .unknown(id.description) }
            return QueueItemExpansion.Drafts(
                items: page.entries.map { ItemDraft(uri: $0.uri) }, isTruncated: page.length > page.entries.count)
        }
    }

    func entries(of id: PlaylistID) throws(Problem) -> [PlaylistEntry] {
        let playlists = try requirePlaylists()
        return try Problem.fromPlaylist(id) { () throws(PlaylistError) in try playlists.playlist(id).entries }
    }
}

extension ItemDraft {
    init(_ entry: PlaylistEntry) {
        self.init(
            uri: entry.uri, title: entry.title, artist: entry.artist, album: entry.album, reach: entry.reach)
    }
}

extension PlaylistEntry {
    init(_ draft: ItemDraft) {
        self.init(
            uri: draft.uri, title: draft.title, artist: draft.artist, album: draft.album, reach: draft.reach)
    }
}

extension Problem {
    static func fromCatalogue<Value>(_ body: () throws(CatalogueError) -> Value) throws(Problem) -> Value {
        do throws(CatalogueError) {
            return try body()
        } catch {
            switch error {
            case .unknown(let id):
                throw .notFound("There is no \(id.prefix(40)) in the library.", code: "unknown-entry")
            case .unavailable(let reason):
                throw Problem(
                    status: 503, code: "library-unavailable", title: "Library unavailable", detail: reason,
                    headers: [("Retry-After", "2")])
            }
        }
    }

    static func fromPlaylist<Value>(
        _ id: PlaylistID?, _ body: () throws(PlaylistError) -> Value
    ) throws(Problem) -> Value {
        do throws(PlaylistError) {
            return try body()
        } catch {
            switch error {
            case .unknown: throw .unknownPlaylist(id?.description ?? "")
            case .revisionMismatch(let current):
                throw Problem(
                    status: 412, code: "revision-mismatch", title: "Precondition failed",
                    detail: "The playlist has another revision by now: read it again and repeat the change.",
                    headers: id.map { [("ETag", PlaylistTag(id: $0, revision: current).tag.description)] } ?? [])
            case .full(let maximum): throw .tooLarge("There is room for \(maximum) only.", code: "playlist-full")
            case .unreadable(let reason):
                throw Problem(
                    status: 503, code: "playlists-unavailable", title: "Playlists unavailable", detail: reason)
            case .notSaved(let reason):
                throw Problem(status: 500, code: "not-saved", title: "Not saved", detail: reason)
            }
        }
    }

    static func unknownPlaylist(_ id: String) -> Problem {
        .notFound("There is no playlist \(id.prefix(40)).", code: "unknown-playlist")
    }
}
