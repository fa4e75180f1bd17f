// SPDX-License-Identifier: Apache-2.0

import GRDB

/// The artists, albums and genres whose tracks changed; brings their totals and texts up to date and takes out what has
/// no track any more.
struct CatalogueTotals {
    var artists: Set<Int64> = []
    var albums: Set<Int64> = []
    var genres: Set<Int64> = []

    mutating func note(artist: Int64?, album: Int64?, albumArtist: Int64?) {
        if let artist { artists.insert(artist) }
        if let album { albums.insert(album) }
        if let albumArtist { artists.insert(albumArtist) }
    }

    mutating func refresh(_ database: Database) throws {
        // In ascending order, as the full-text index wants its rows.
        for id in albums.sorted() { try refreshAlbum(id, database) }
        for id in artists.sorted() { try refreshArtist(id, database) }
        for id in genres.sorted() {
            try database.cachedStatement(
                sql: "UPDATE genre SET tracks = (SELECT count(*) FROM trackGenre WHERE genre = ?1) WHERE id = ?1"
            ).execute(arguments: [id])
            try database.cachedStatement(sql: "DELETE FROM genre WHERE id = ? AND tracks = 0")
                .execute(arguments: [id])
        }
    }

    private mutating func refreshAlbum(_ id: Int64, _ database: Database) throws {
        guard
            let old = try Row.fetchOne(
                database.cachedStatement(
                    sql: "SELECT title, artist, tracks FROM album WHERE id = ?"), arguments: [id])
        else { return }
        let formerArtist: Int64? = old[1]
        if let formerArtist { artists.insert(formerArtist) }
        let facts = try Row.fetchOne(
            database.cachedStatement(
                sql: """
                    SELECT count(*), coalesce(sum(duration), 0), min(year), max(albumArtist), min(artist), max(artist),
                        count(artist), max(added) FROM track WHERE album = ?
                    """), arguments: [id])
        guard let facts, facts[0] as Int > 0 else {
            try database.cachedStatement(sql: "DELETE FROM album WHERE id = ?").execute(arguments: [id])
            try database.cachedStatement(sql: "DELETE FROM albumText WHERE rowid = ?").execute(arguments: [id])
            return
        }
        let (first, last): (Int64?, Int64?) = (facts[4], facts[5])
        let common = first == last && facts[6] as Int == facts[0] as Int ? first : nil
        let artist: Int64? = facts[3] ?? common
        if let artist { artists.insert(artist) }
        let artwork = try Int64.fetchOne(
            database.cachedStatement(
                sql: """
                    SELECT key FROM track JOIN folder ON folder.id = track.folder
                    WHERE album = ? AND (track.picture OR folder.picture)
                    ORDER BY track.picture DESC, disc, number, sort LIMIT 1
                    """),
            arguments: [id])
        let update = try database.cachedStatement(
            sql: "UPDATE album SET tracks = ?, duration = ?, year = ?, artist = ?, artwork = ?, added = ? WHERE id = ?")
        update.setUncheckedArguments([
            facts[0] as Int, facts[1] as Double, facts[2] as Int?, artist, artwork, facts[7] as Double, id,
        ])
        try update.execute()
        guard old[2] as Int == 0 || formerArtist != artist else { return }
        let name = try artist.flatMap {
            try String.fetchOne(
                database.cachedStatement(sql: "SELECT name FROM artist WHERE id = ?"), arguments: [$0])
        }
        try Self.index(
            "albumText (rowid, title, artist)", id, [SearchText.folded(old[0]), SearchText.folded(name ?? "")],
            isNew: old[2] as Int == 0, database)
    }

    private func refreshArtist(_ id: Int64, _ database: Database) throws {
        guard
            let old = try Row.fetchOne(
                database.cachedStatement(sql: "SELECT name, tracks + albums FROM artist WHERE id = ?"),
                arguments: [id])
        else { return }
        let facts = try Row.fetchOne(
            database.cachedStatement(
                sql: """
                    SELECT (SELECT count(*) FROM track WHERE artist = ?1), (SELECT count(*) FROM album WHERE artist = ?1),
                        EXISTS (SELECT * FROM track WHERE albumArtist = ?1)
                    """), arguments: [id])
        let (tracks, albums, isNamed): (Int, Int, Bool) = (facts?[0] ?? 0, facts?[1] ?? 0, facts?[2] ?? false)
        guard tracks + albums > 0 || isNamed else {
            try database.cachedStatement(sql: "DELETE FROM artist WHERE id = ?").execute(arguments: [id])
            try database.cachedStatement(sql: "DELETE FROM artistText WHERE rowid = ?").execute(arguments: [id])
            return
        }
        try database.cachedStatement(sql: "UPDATE artist SET tracks = ?, albums = ? WHERE id = ?")
            .execute(arguments: [tracks, albums, id])
        if old[1] as Int == 0 {
            try Self.index("artistText (rowid, name)", id, [SearchText.folded(old[0])], isNew: false, database)
        }
    }

    private static func index(
        _ table: String, _ id: Int64, _ texts: [String], isNew: Bool, _ database: Database
    ) throws {
        if !isNew {
            let name = table.prefix { $0 != " " }
            try database.cachedStatement(sql: "DELETE FROM \(name) WHERE rowid = ?").execute(arguments: [id])
        }
        let places = Array(repeating: "?", count: texts.count + 1).joined(separator: ", ")
        try database.cachedStatement(sql: "INSERT INTO \(table) VALUES (\(places))")
            .execute(arguments: StatementArguments([id]) + StatementArguments(texts))
    }
}
