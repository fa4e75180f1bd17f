// SPDX-License-Identifier: Apache-2.0

import Catalogue
import HTTP
import Playback

extension Services {
    func requireLibrary() throws(Problem) -> any MusicLibrary {
        guard let library else { throw .noLibrary }
        return library
    }

    func requirePlaylists() throws(Problem) -> any PlaylistKeeper {
        guard let playlists else { throw .noPlaylists }
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
}

extension Problem {
    static func fromCatalogue<Value>(_ body: () throws(CatalogueError) -> Value) throws(Problem) -> Value {
        do throws(CatalogueError) {
            return try body()
        } catch {
            throw Problem(error)
        }
    }

    init(_ error: CatalogueError) {
        switch error {
        case .unknown(let id): self = .notFound("There is no \(id.prefix(40)) in the library.", code: "unknown-entry")
        case .unavailable(let reason):
            self.init(
                status: 503, code: "library-unavailable", title: "Library unavailable", detail: reason,
                headers: [("Retry-After", "2")])
        }
    }

    static var noLibrary: Problem {
        .notFound(
            "There is no music library: the server runs without music folders or with --library off.",
            code: "no-library")
    }

    static var noPlaylists: Problem { .notFound("This server keeps no playlists.", code: "no-playlists") }

    static func fromPlaylist<Value>(
        _ id: PlaylistID?, _ body: () throws(PlaylistError) -> Value
    ) throws(Problem) -> Value {
        do throws(PlaylistError) {
            return try body()
        } catch {
            throw Problem(error, id)
        }
    }

    init(_ error: PlaylistError, _ id: PlaylistID?) {
        switch error {
        case .unknown: self = .unknownPlaylist(id?.description ?? "")
        case .revisionMismatch(let current):
            self.init(
                status: 412, code: "revision-mismatch", title: "Precondition failed",
                detail: "The playlist has another revision by now: read it again and repeat the change.",
                headers: id.map { [("ETag", PlaylistTag(id: $0, revision: current).tag.description)] } ?? [])
        case .full(let maximum): self = .tooLarge("There is room for \(maximum) only.", code: "playlist-full")
        case .tooLarge(let megabytes):
            self = .tooLarge("The entries of a playlist take at most \(megabytes) MB.", code: "playlist-full")
        case .unreadable(let reason):
            self.init(status: 503, code: "playlists-unavailable", title: "Playlists unavailable", detail: reason)
        case .notSaved(let reason):
            self.init(status: 500, code: "not-saved", title: "Not saved", detail: reason)
        }
    }

    static func unknownPlaylist(_ id: String) -> Problem {
        .notFound("There is no playlist \(id.prefix(40)).", code: "unknown-playlist")
    }
}
