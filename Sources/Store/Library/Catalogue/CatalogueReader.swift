// SPDX-License-Identifier: Apache-2.0

import Service
import GRDB

/// Reads the catalogue within one read of the database.
struct CatalogueReader {
    let database: Database

    func counts() throws -> LibraryStatus.Counts {
        var counts = LibraryStatus.Counts()
        let row = try database.row(
            """
            SELECT (SELECT count(*) FROM artist), (SELECT count(*) FROM album), (SELECT count(*) FROM track),
                (SELECT count(*) FROM genre), (SELECT count(*) FROM failure),
                (SELECT coalesce(sum(duration), 0) FROM track)
            """)
        guard let row else { return counts }
        counts.artists = try row[0]
        counts.albums = try row[1]
        counts.tracks = try row[2]
        counts.genres = try row[3]
        counts.unplayable = try row[4]
        counts.duration = try row[5]
        return counts
    }

    // MARK: Pages

    func artists(_ filter: CatalogueFilter, _ window: CatalogueWindow) throws -> (Int, [Artist]) {
        var conditions = Conditions()
        conditions.add(
            filter.genre?.number,
            "id IN (SELECT artist FROM track JOIN trackGenre ON track = track.id WHERE genre = ?)")
        conditions.add(filter.year.map(Int64.init), "id IN (SELECT artist FROM track WHERE year = ?)")
        let count = try count("artist", conditions)
        let order = window.order == .name ? "sort, id" : "tracks DESC, sort"
        return (
            count,
            try artists(
                "\(conditions.text) ORDER BY \(order) LIMIT ? OFFSET ?", conditions.arguments + window.arguments)
        )
    }

    func albums(_ filter: CatalogueFilter, _ window: CatalogueWindow) throws -> (Int, [Album]) {
        var conditions = Conditions()
        conditions.add(filter.artist?.number, "(artist = ? OR id IN (SELECT album FROM track WHERE artist = ?))")
        conditions.add(
            filter.genre?.number, "id IN (SELECT album FROM track JOIN trackGenre ON track = track.id WHERE genre = ?)")
        conditions.add(filter.year.map(Int64.init), "year = ?")
        let count = try count("album", conditions)
        let order =
            switch window.order {
            case .name: "album.sort, album.id"
            case .added: "album.added DESC, album.id"
            case .year: "album.year DESC, album.sort"
            }
        let clause = """
            WHERE album.id IN (SELECT id FROM album \(conditions.text) ORDER BY \(order) LIMIT ? OFFSET ?)
            ORDER BY \(order)
            """
        return (count, try albums(clause, conditions.arguments + window.arguments))
    }

    func tracks(_ filter: CatalogueFilter, _ window: CatalogueWindow) throws -> (Int, [Track]) {
        let arguments = window.arguments
        var conditions = Conditions()
        conditions.add(filter.album?.number, "track.album = ?")
        conditions.add(filter.artist?.number, "(track.artist = ? OR track.albumArtist = ?)")
        conditions.add(filter.genre?.number, "track.id IN (SELECT track FROM trackGenre WHERE genre = ?)")
        conditions.add(filter.year.map(Int64.init), "track.year = ?")
        let count = try count("track", conditions)
        let place = "track.disc, track.number, track.sort, track.id"
        var source = "track"
        let order: String
        switch window.order {
        case .name where filter.album != nil: order = place
        case .name where filter.artist != nil || filter.genre != nil:
            source = "track LEFT JOIN album ON album.id = track.album"
            order = "album.year, album.sort, album.id, " + place
        case .name: order = "track.sort, track.id"
        case .added: order = "track.added DESC, track.id"
        case .year: order = "track.year DESC, track.sort, track.id"
        }
        // Finds the window in an index first, then reads its rows.
        let window = """
            WHERE track.id IN (
                SELECT track.id FROM \(source) \(conditions.text) ORDER BY \(order) LIMIT ? OFFSET ?)
            ORDER BY \(order)
            """
        return (count, try tracks(window, conditions.arguments + arguments))
    }

    func genres(_ window: CatalogueWindow) throws -> (Int, [Genre]) {
        (try count("genre", Conditions()), try genres("ORDER BY sort LIMIT ? OFFSET ?", window.arguments))
    }

    private func count(_ table: String, _ conditions: Conditions) throws -> Int {
        try Int.fetchOne(
            database.cachedStatement(sql: "SELECT count(*) FROM \(table) \(conditions.text)"),
            arguments: conditions.arguments) ?? 0
    }

    // MARK: Rows

    func genres(_ clause: String, _ arguments: StatementArguments) throws -> [Genre] {
        try database.rows("SELECT id, name, tracks FROM genre \(clause)", arguments)
            .map { try Genre(id: CatalogueID(.genre, $0[0]), name: $0[1], tracks: $0[2]) }
    }

    func artists(_ clause: String, _ arguments: StatementArguments) throws -> [Artist] {
        let sql = """
            SELECT id, name, albums, tracks, (SELECT artwork FROM album
                WHERE album.artist = artist.id AND artwork IS NOT NULL ORDER BY year DESC, sort LIMIT 1)
            FROM artist
            """
        return try database.rows("\(sql) \(clause)", arguments).map { row in
            try Artist(
                id: CatalogueID(.artist, row[0]), name: row[1], albums: row[2], tracks: row[3],
                artworkTrack: (row[4] as Int64?).map { CatalogueID(.track, $0) })
        }
    }

    func albums(_ clause: String, _ arguments: StatementArguments) throws -> [Album] {
        let sql = """
            SELECT album.id, album.title, album.artist, artist.name, album.year, album.tracks, album.duration,
                album.artwork, album.added
            FROM album LEFT JOIN artist ON artist.id = album.artist
            """
        return try database.rows("\(sql) \(clause)", arguments).map { row in
            try Album(
                id: CatalogueID(.album, row[0]), title: row[1], artist: Self.reference(.artist, row[2], row[3]),
                year: row[4], tracks: row[5], duration: row[6],
                artworkTrack: (row[7] as Int64?).map { CatalogueID(.track, $0) }, added: row[8])
        }
    }

    func tracks(_ clause: String, _ arguments: StatementArguments) throws -> [Track] {
        let sql = """
            SELECT track.key, track.uri, track.title, track.artist, artist.name, track.album, album.title,
                albumArtist.name, (SELECT group_concat(name, char(31)) FROM trackGenre JOIN genre ON genre.id = genre
                    WHERE track = track.id),
                track.year, track.disc, track.number, track.duration, track.codec, track.bitrate, track.sampleRate,
                track.channels, track.size, track.modified, track.added, track.picture, track.id
            FROM track LEFT JOIN artist ON artist.id = track.artist LEFT JOIN album ON album.id = track.album
                LEFT JOIN artist AS albumArtist ON albumArtist.id = track.albumArtist
            """
        return try database.rows("\(sql) \(clause)", arguments).map { row in
            try Track(
                id: CatalogueID(.track, row[0]), uri: row[1], title: row[2],
                artist: Self.reference(.artist, row[3], row[4]), album: Self.reference(.album, row[5], row[6]),
                albumArtist: row[7],
                genres: (row[8] as String?)?.split(separator: "\u{1F}").map { String($0) } ?? [], year: row[9],
                discNumber: row[10], trackNumber: row[11], duration: row[12], codec: row[13], bitrate: row[14],
                sampleRate: row[15], channels: row[16], size: row[17], modified: Double(row[18] as Int64) / 1e9,
                added: row[19], hasPicture: row[20])
        }
    }

    /// Returns the tracks among these paths, with their index. `keys`: the keys of the paths.
    func details(_ uris: [String], _ keys: [Int64]) throws -> [(index: Int, details: TrackDetails)] {
        let sql = """
            SELECT wanted.key, track.title, artist.name, album.title, albumArtist.name, track.year, track.disc,
                track.number, track.duration
            FROM json_each(?) AS wanted CROSS JOIN track ON track.key = wanted.value
                LEFT JOIN artist ON artist.id = track.artist LEFT JOIN album ON album.id = track.album
                LEFT JOIN artist AS albumArtist ON albumArtist.id = track.albumArtist
            """
        let keys = "[" + keys.map { String($0) }.joined(separator: ",") + "]"
        return try database.rows(sql, [keys]).map { row in
            let index: Int = try row[0]
            let title: String = try row[1]
            // The catalogue uses the file's name as title if the tags have none. Beside other tags it is a title like the name.
            let name = uris[index].split(separator: "/").last.map { CatalogueRecord.Tags.stem(String($0)) }
            let (artist, album): (String?, String?) = try (row[2], row[3])
            let details = try TrackDetails(
                title: title == name && artist == nil && album == nil ? nil : title, artist: artist, album: album,
                albumArtist: row[4], year: row[5], discNumber: row[6], trackNumber: row[7], duration: row[8])
            return (index, details)
        }
    }

    /// The files of the track's album; at most 500.
    func albumFiles(ofTrack key: Int64) throws -> [String] {
        let sql = "SELECT uri FROM track WHERE album = (SELECT album FROM track WHERE key = ?) LIMIT 500"
        return try String.fetchAll(database.cachedStatement(sql: sql), arguments: [key])
    }

    /// Returns the keys that belong to tracks. For many keys, reading all of the catalogue's is quicker than looking each up.
    func knownTracks(among keys: [Int64]) throws -> Set<Int64> {
        let length = try Int.fetchOne(database.cachedStatement(sql: "SELECT count(*) FROM track")) ?? 0
        guard keys.count > length / 8 else {
            let statement = try database.cachedStatement(sql: "SELECT key FROM track WHERE key = ?")
            return Set(try keys.compactMap { try Int64.fetchOne(statement, arguments: [$0]) })
        }
        var known = Set<Int64>(minimumCapacity: length)
        let rows = try Int64.fetchCursor(database.cachedStatement(sql: "SELECT key FROM track"))
        while let key = try rows.next() { known.insert(key) }
        return known
    }

    private static func reference(_ kind: CatalogueID.Kind, _ id: Int64?, _ name: String?) -> Reference? {
        guard let id, let name else { return nil }
        return Reference(id: CatalogueID(kind, id), name: name)
    }

    private struct Conditions {
        private var parts: [String] = []
        private(set) var arguments = StatementArguments()

        /// Without a value there is no condition. Each `?` stands for it.
        mutating func add(_ value: Int64?, _ condition: String) {
            guard let value else { return }
            parts.append(condition)
            for _ in condition.filter({ $0 == "?" }) { arguments += [value] }
        }

        var text: String { parts.isEmpty ? "" : "WHERE " + parts.joined(separator: " AND ") }
    }
}

extension CatalogueWindow {
    fileprivate var arguments: StatementArguments { [limit, offset] }
}
