// SPDX-License-Identifier: Apache-2.0

import GRDB

/// Artists, albums and genres whose tracks changed. Updates their totals and search texts, and deletes those without tracks.
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
        // In ascending order, which the full-text index prefers.
        for id in albums.sorted() { try refreshAlbum(id, database) }
        for id in artists.sorted() { try refreshArtist(id, database) }
        for id in genres.sorted() {
            try database.run(
                "UPDATE genre SET tracks = (SELECT count(*) FROM trackGenre WHERE genre = ?1) WHERE id = ?1", [id])
            try database.run("DELETE FROM genre WHERE id = ? AND tracks = 0", [id])
        }
    }

    private mutating func refreshAlbum(_ id: Int64, _ database: Database) throws {
        guard let old = try database.row("SELECT title, artist, tracks FROM album WHERE id = ?", [id]) else { return }
        let formerArtist: Int64? = try old[1]
        if let formerArtist { artists.insert(formerArtist) }
        let facts = try database.row(
            """
            SELECT count(*), coalesce(sum(duration), 0), min(year), max(albumArtist), min(artist), max(artist),
                count(artist), max(added) FROM track WHERE album = ?
            """, [id])
        guard let facts, try facts[0] as Int > 0 else {
            try database.run("DELETE FROM album WHERE id = ?", [id])
            try database.run("DELETE FROM albumText WHERE rowid = ?", [id])
            return
        }
        let (first, last): (Int64?, Int64?) = try (facts[4], facts[5])
        let common = try first == last && facts[6] as Int == facts[0] as Int ? first : nil
        let artist: Int64? = try facts[3] ?? common
        if let artist { artists.insert(artist) }
        let artwork = try database.numbers(
            """
            SELECT key FROM track JOIN folder ON folder.id = track.folder
            WHERE album = ? AND (track.picture OR folder.picture)
            ORDER BY track.picture DESC, disc, number, sort LIMIT 1
            """, [id]
        ).first
        let update = try database.cachedStatement(
            sql: "UPDATE album SET tracks = ?, duration = ?, year = ?, artist = ?, artwork = ?, added = ? WHERE id = ?")
        try update.setUncheckedArguments([
            facts[0] as Int, facts[1] as Double, facts[2] as Int?, artist, artwork, facts[7] as Double, id,
        ])
        try update.execute()
        guard try old[2] as Int == 0 || formerArtist != artist else { return }
        let name: String = try database.row("SELECT name FROM artist WHERE id = ?", [artist])?[0] ?? ""
        if try old[2] as Int != 0 { try database.run("DELETE FROM albumText WHERE rowid = ?", [id]) }
        try database.run(
            "INSERT INTO albumText (rowid, title, artist) VALUES (?, ?, ?)",
            [id, SearchText.folded(old[0]), SearchText.folded(name)])
    }

    private func refreshArtist(_ id: Int64, _ database: Database) throws {
        guard let old = try database.row("SELECT name, tracks + albums FROM artist WHERE id = ?", [id]) else { return }
        let facts = try database.row(
            """
            SELECT (SELECT count(*) FROM track WHERE artist = ?1), (SELECT count(*) FROM album WHERE artist = ?1),
                EXISTS (SELECT * FROM track WHERE albumArtist = ?1)
            """, [id])
        let (tracks, albums, isNamed): (Int, Int, Bool) = try (facts?[0] ?? 0, facts?[1] ?? 0, facts?[2] ?? false)
        guard tracks + albums > 0 || isNamed else {
            try database.run("DELETE FROM artist WHERE id = ?", [id])
            try database.run("DELETE FROM artistText WHERE rowid = ?", [id])
            return
        }
        try database.run("UPDATE artist SET tracks = ?, albums = ? WHERE id = ?", [tracks, albums, id])
        guard try old[1] as Int == 0 else { return }
        try database.run("DELETE FROM artistText WHERE rowid = ?", [id])
        try database.run("INSERT INTO artistText (rowid, name) VALUES (?, ?)", [id, SearchText.folded(old[0])])
    }
}
