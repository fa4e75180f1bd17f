// SPDX-License-Identifier: Apache-2.0

import Service
import GRDB

extension CatalogueReader {
    /// Matches that are looked at for the best ones: a word that half of the music has must not cost more than others.
    private static let maximumMatches = 1_000

    func search(_ text: String, kinds: Set<SearchKind>, limit: Int) throws -> SearchResult {
        var result = SearchResult()
        guard let query = SearchText.query(text) else { return result }
        let wanted = SearchText.folded(text)
        if kinds.contains(.artists) {
            let ids = try best("artistText", column: "name", "artist", query, wanted, limit)
            result.artists = Self.sorted(try artists("WHERE id IN (\(Self.list(ids)))", []), ids) { $0.id.number }
        }
        if kinds.contains(.albums) {
            let ids = try best("albumText", column: "title", "album", query, wanted, limit)
            result.albums = Self.sorted(try albums("WHERE album.id IN (\(Self.list(ids)))", []), ids) { $0.id.number }
        }
        if kinds.contains(.tracks) {
            let ids = try best("trackText", column: "title", "track", query, wanted, limit)
            let keys = try Self.ordered(
                Row.fetchAll(database, sql: "SELECT id, key FROM track WHERE id IN (\(Self.list(ids)))"), ids)
            result.tracks = Self.sorted(try tracks("WHERE track.id IN (\(Self.list(ids)))", []), keys) { $0.id.number }
        }
        // There are few of these, and they have no index.
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

    /// Row ids, the best first: those whose name is what was asked for, those whose name begins so, those that have all
    /// words in the name, the others; each by name.
    private func best(
        _ index: String, column: String, _ table: String, _ query: String, _ wanted: String, _ limit: Int
    ) throws -> [Int64] {
        let inName = try matches(index, column, table, "{\(column)} : (\(query))")
        var ranked = inName.map { (rank: Self.rank($0.name, wanted), match: $0) }
        if ranked.count < limit {
            let seen = Set(inName.map(\.id))
            ranked += try matches(index, column, table, query).filter { !seen.contains($0.id) }.map { (3, $0) }
        }
        ranked.sort { ($0.rank, $0.match.sort, $0.match.id) < ($1.rank, $1.match.sort, $1.match.id) }
        return ranked.prefix(limit).map(\.match.id)
    }

    private struct Match {
        var id: Int64
        var name: String
        var sort: String
    }

    private func matches(_ index: String, _ column: String, _ table: String, _ query: String) throws -> [Match] {
        let sql = """
            SELECT found.rowid, found.\(column), entry.sort
            FROM (SELECT rowid, \(column) FROM \(index) WHERE \(index) MATCH ? LIMIT \(Self.maximumMatches)) AS found
                JOIN \(table) AS entry ON entry.id = found.rowid
            """
        return try Row.fetchAll(database.cachedStatement(sql: sql), arguments: [query])
            .map { Match(id: $0[0], name: $0[1], sort: $0[2]) }
    }

    private static func rank(_ name: String, _ wanted: String) -> Int {
        name == wanted ? 0 : name.hasPrefix(wanted) ? 1 : 2
    }

    /// Numbers from the database itself.
    private static func list(_ ids: [Int64]) -> String { ids.map(String.init).joined(separator: ",") }

    private static func ordered(_ rows: [Row], _ ids: [Int64]) -> [Int64] {
        let keys = Dictionary(rows.map { ($0[0] as Int64, $0[1] as Int64) }, uniquingKeysWith: { first, _ in first })
        return ids.compactMap { keys[$0] }
    }

    private static func sorted<Entry>(_ entries: [Entry], _ ids: [Int64], _ id: (Entry) -> Int64) -> [Entry] {
        let places = Dictionary(ids.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
        return entries.sorted { places[id($0), default: 0] < places[id($1), default: 0] }
    }
}
