// SPDX-License-Identifier: Apache-2.0

import Kernel
import ArgumentParser
import FoundationEssentials

struct SearchCommand: ShowingCommand {
    static let configuration = CommandConfiguration(
        "search", "Finds music in the server's library.",
        discussion: """
            All words must be found, in any case and with or without accents; the end of a word may be missing. Each \
            track is printed by its path, which can be given to play and add.
            """)
    @OptionGroup var options: ClientOptions

    @Argument(help: "Words of titles, artists, albums or file names.") var words: [String]
    @Option(help: "Number of tracks to list, 1 to 200.") var limit = 50
    @Flag(json: "library/search") var json = false

    struct Answer: Decodable {
        struct Name: Decodable { var name: String }
        struct Track: Decodable {
            var uri, title: String
            var artist: Name?
        }
        var tracks: [Track]
    }

    func ask(_ client: ServerClient) throws -> [UInt8] {
        let text = PercentEncoding.encode(words.joined(separator: " "))
        let types = json ? "" : "&types=tracks"
        return try client.send(.get, "library/search?q=\(text)&limit=\(limit)\(types)")
    }

    func show(_ answer: Answer) throws {
        let tracks = answer.tracks
        guard !tracks.isEmpty else { throw Failure("Nothing was found.") }
        var table = Table(columns: [.left, .left, .left])
        for track in tracks { table.add(track.title, track.artist?.name ?? "", track.uri) }
        Console.output(table.text)
    }
}

struct ScanCommand: ClientCommand {
    static let configuration = CommandConfiguration(
        "scan", "Scans the server's music folders for changes, and waits for the end.")
    @OptionGroup var options: ClientOptions

    @Flag(help: "Read the files that did not change as well.") var reread = false

    private struct Library: Decodable {
        struct Scan: Decodable {
            var startedAt: Double
            var found, scanned, added, changed, removed: Int
        }

        var state: String
        /// Totals of the library; a scan reads only changed files.
        var tracks, unplayable: Int
        var scan: Scan?
        var problems: [String]
    }

    func run(_ client: ServerClient) throws {
        struct Before: Decodable { var scan: Library.Scan? }
        var before: Before?
        var result: (library: Library, scan: Library.Scan)?
        let line = ProgressLine()
        defer { line.clear() }
        // The stream is open before the scan begins, so that its end cannot be missed.
        try client.follow("events?events=library", end: "the server ended during the scan.") { json in
            guard let last = before else {
                // The greeting does not contain the state.
                let library = try Self.library(json) ?? client.ask(.get, "library")
                guard library.state != "scanning" else {
                    line.show("waiting for the scan under way")
                    return true
                }
                let answer: Before = try client.ask(.post, "library/scan", ["reread": reread])
                before = answer
                return true
            }
            guard let library = Self.library(json), let scan = library.scan else { return true }
            if library.state == "scanning" {
                line.show("\(scan.found) files found, \(scan.scanned) read")
            } else if scan.startedAt != last.scan?.startedAt {
                // An event from before the request shows the scan before.
                result = (library, scan)
            }
            return result == nil
        }
        line.clear()
        guard let (library, scan) = result else { return }
        if library.state == "failed" { throw Failure(library.problems.first ?? "The scan failed.") }
        Console.output(
            "\(library.tracks) tracks: \(scan.added) new, \(scan.changed) changed, \(scan.removed) removed, "
                + "\(library.unplayable) unplayable")
        for problem in library.problems { Console.complain(problem) }
    }

    /// nil for the stream's greeting, which has other data.
    private static func library(_ json: [UInt8]) -> Library? {
        struct Event: Decodable { var data: Library? }
        do {
            return try JSONDecoder().decode(Event.self, from: Data(json)).data
        } catch {
            return nil
        }
    }
}

struct PlaylistsCommand: ClientCommand {
    static let configuration = CommandConfiguration(
        "playlists", "Lists the saved playlists, plays one, or saves the queue as one.")
    @OptionGroup var options: ClientOptions

    @Option(
        value: "playlist", "Replace the queue with the playlist of this id or name and play it.",
        completion: ServerNames.playlists.completion)
    var play: String?

    @Option(value: "name", "Save the queue as a playlist of this name.") var save: String?
    @Flag(help: "With --save: replace the playlist of this name.") var replace = false

    @Option(value: "playlist", "Remove the playlist of this id or name.", completion: ServerNames.playlists.completion)
    var remove: String?

    @Flag(json: "playlists") var json = false

    private struct Playlist: Decodable {
        var id, name: String
        var length: Int
    }

    private struct Lists: Decodable { var playlists: [Playlist] }

    func validate() throws {
        if [play, save, remove].compactMap({ $0 }).count > 1 {
            throw ValidationError("Give only one of --play, --save and --remove.")
        }
        if replace, save == nil { throw ValidationError("--replace needs --save.") }
    }

    func run(_ client: ServerClient) throws {
        let bytes = try client.send(.get, "playlists")
        let answer: Lists = try client.decode(bytes)
        let lists = answer.playlists
        if let play {
            try client.play(playlist: Self.path(play, lists))
        } else if let save {
            let old = lists.filter { $0.name == save }
            guard old.isEmpty || replace else {
                throw Failure("There is a playlist \(save) already; --replace replaces it.")
            }
            let path = try old.isEmpty ? "playlists" : Self.path(save, old)
            let saved: Playlist = try client.ask(
                old.isEmpty ? .post : .put, path, ["name": save, "fromQueue": true])
            Console.output(Self.table([saved]).text)
        } else if let remove {
            try client.send(.delete, Self.path(remove, lists))
            Console.output(Table.printable("\(remove) is removed"))
        } else if json {
            Console.output(json: bytes)
        } else {
            Console.output(Self.table(lists), orWithoutRows: "There are no playlists.")
        }
    }

    /// The path of the playlist with this id, else of the only one with this name. The server rejects anything else.
    private static func path(_ text: String, _ lists: [Playlist]) throws -> String {
        let named = lists.contains { $0.id == text } ? [] : lists.filter { $0.name == text }
        guard named.count < 2 else {
            let ids = named.map(\.id).joined(separator: ", ")
            throw Failure("Several playlists are called \(text); give an id: \(ids).")
        }
        return "playlists/\(PercentEncoding.encode(named.first?.id ?? text))"
    }

    private static func table(_ lists: [Playlist]) -> Table {
        var table = Table(columns: [.left, .left, .right])
        for list in lists { table.add(list.id, list.name, String(list.length)) }
        return table
    }
}
