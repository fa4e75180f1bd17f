// SPDX-License-Identifier: Apache-2.0

import Service
import GRDB

extension CatalogueReader {
    /// Matches that are ranked, so that a word of half the music costs no more than others.
    private static let maximumMatches = 1_000

    /// A table, and the index of the words in it.
    private struct Searched {
        var words, column, table, key: String
        /// Joins, and an order for entries of the same name.
        var tieBreak = ""

        static let artists = Searched(words: "artistText", column: "name", table: "artist", key: "id")
        static let albums = Searched(
            words: "albumText", column: "title", table: "album", key: "id",
            tieBreak: "LEFT JOIN artist ON artist.id = entry.artist ORDER BY artist.sort, entry.year, entry.id")
        static let tracks = Searched(
            words: "trackText", column: "title", table: "track", key: "key",
            tieBreak: """
                LEFT JOIN artist ON artist.id = entry.artist LEFT JOIN album ON album.id = entry.album
                ORDER BY artist.sort, album.sort, album.id, entry.disc, entry.number, entry.uri
                """)
    }

    func search(_ text: String, kinds: Set<SearchKind>, limit: Int) throws -> SearchResult {
        var result = SearchResult()
        guard let query = SearchText.query(text) else { return result }
        let wanted = SearchText.folded(text)
        /// The best entries with their rows. `id`: the entry's id.
        func found<Entry>(
            _ searched: Searched, _ id: (Entry) -> CatalogueID,
            _ read: (_ clause: String, StatementArguments) throws -> [Entry]
        ) throws -> [Entry] {
            let keys = try best(searched, query, wanted, limit)
            let places = Dictionary(keys.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
            // Safe in SQL: these are numbers from the database.
            let list = keys.map(String.init).joined(separator: ",")
            return try read("WHERE \(searched.table).\(searched.key) IN (\(list))", [])
                .sorted { places[id($0).number, default: 0] < places[id($1).number, default: 0] }
        }
        if kinds.contains(.artists) { result.artists = try found(.artists, \.id) { try artists($0, $1) } }
        if kinds.contains(.albums) { result.albums = try found(.albums, \.id) { try albums($0, $1) } }
        if kinds.contains(.tracks) { result.tracks = try found(.tracks, \.id) { try tracks($0, $1) } }
        // Genres are few and have no index.
        if kinds.contains(.genres) {
            result.genres = NameSearch(text).best(try genres("ORDER BY sort", []), limit) { $0.name }
        }
        if kinds.contains(.folders) {
            let folders = try String.fetchAll(
                database.cachedStatement(sql: "SELECT uri FROM folder WHERE uri <> '' ORDER BY uri"))
            result.folders = NameSearch(text).best(folders, limit) {
                $0.split(separator: "/").last.map(String.init) ?? ""
            }
        }
        return result
    }

    /// Returns keys, the best first: exact names, names that begin with the text, names with all words, other matches; each
    /// group by name.
    private func best(_ searched: Searched, _ query: String, _ wanted: String, _ limit: Int) throws -> [Int64] {
        let inName = try matches(searched, "{\(searched.column)} : (\(query))")
        var ranked = inName.map { (rank: SearchText.rank($0.name, wanted), match: $0) }
        if ranked.count < limit {
            let seen = Set(inName.map(\.row))
            ranked += try matches(searched, query).filter { !seen.contains($0.row) }.map { (3, $0) }
        }
        let sorted = ranked.enumerated().sorted { one, other in
            (one.element.rank, one.element.match.sort, one.offset)
                < (other.element.rank, other.element.match.sort, other.offset)
        }
        return sorted.prefix(limit).map(\.element.match.key)
    }

    private struct Match {
        var row, key: Int64
        var name, sort: String
    }

    private func matches(_ searched: Searched, _ query: String) throws -> [Match] {
        let (words, column) = (searched.words, searched.column)
        let sql = """
            SELECT found.rowid, entry.\(searched.key), found.\(column), entry.sort
            FROM (SELECT rowid, \(column) FROM \(words) WHERE \(words) MATCH ? LIMIT \(Self.maximumMatches)) AS found
                JOIN \(searched.table) AS entry ON entry.id = found.rowid
                \(searched.tieBreak)
            """
        return try database.rows(sql, [query]).map { try Match(row: $0[0], key: $0[1], name: $0[2], sort: $0[3]) }
    }
}
