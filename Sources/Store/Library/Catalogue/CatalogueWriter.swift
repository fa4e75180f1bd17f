// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import GRDB
import Media

/// Writes the results of a scan within one transaction. Collects the entries whose totals change, for `CatalogueTotals`.
struct CatalogueWriter {
    let database: Database
    let keys: CatalogueKeys
    /// Seconds since the Unix epoch, for new tracks.
    let now: Double
    private(set) var touched = CatalogueTotals()
    private(set) var added = 0
    private(set) var changed = 0
    private(set) var removed = 0

    mutating func keepFolder(_ uri: String, hasPicture: Bool) throws {
        let parent = uri.isEmpty ? nil : keys.of(folderOf: uri)
        try database.run("INSERT OR IGNORE INTO folder VALUES (?, ?, ?, ?)", [keys.of(uri), uri, parent, hasPicture])
    }

    /// A picture of a folder appeared or disappeared, which may change the artwork of its albums.
    mutating func setPicture(_ isThere: Bool, ofFolder id: Int64) throws {
        try database.run("UPDATE folder SET picture = ? WHERE id = ?", [isThere, id])
        touched.albums.formUnion(
            try database.numbers("SELECT DISTINCT album FROM track WHERE folder = ? AND album IS NOT NULL", [id]))
    }

    mutating func keep(_ record: CatalogueRecord) throws {
        let old = try takeOut(record.key)
        switch record.content {
        case .failure(let reason):
            try database.run(
                "INSERT INTO failure VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                [
                    record.key, record.folder, record.uri, record.stamp.size, record.stamp.modified,
                    record.stamp.changed, Int64(bitPattern: record.stamp.inode), reason,
                ])
            if old != nil { removed += 1 }
        case .track(let tags):
            try insert(record, tags, replacing: old)
            if old == nil { added += 1 } else { changed += 1 }
        }
    }

    mutating func remove(_ key: Int64) throws {
        if try takeOut(key) != nil { removed += 1 }
    }

    mutating func removeFolder(_ id: Int64) throws {
        let keys = try database.numbers(
            "SELECT key FROM track WHERE folder = ?1 UNION ALL SELECT key FROM failure WHERE folder = ?1", [id])
        for key in keys { try remove(key) }
        try database.run("DELETE FROM folder WHERE id = ?", [id])
    }

    private struct Old {
        var id: Int64
        var added: Double
        var stamp: FileStamp
        var measured: Int
        var loudness, peak, gated: Double?
    }

    /// Deletes the rows of a file. Returns the values that outlive a change.
    private mutating func takeOut(_ key: Int64) throws -> Old? {
        let row = try database.row(
            """
            SELECT id, added, artist, album, albumArtist, size, modified, changed, inode, measured, loudness, peak, gated
            FROM track WHERE key = ?
            """, [key])
        guard let row else {
            try database.run("DELETE FROM failure WHERE key = ?", [key])
            return nil
        }
        let old = try Old(
            id: row[0], added: row[1], stamp: FileStamp(row, from: 5), measured: row[9], loudness: row[10],
            peak: row[11], gated: row[12])
        try touched.note(artist: row[2], album: row[3], albumArtist: row[4])
        touched.genres.formUnion(try database.numbers("SELECT genre FROM trackGenre WHERE track = ?", [old.id]))
        for table in ["trackGenre WHERE track", "trackText WHERE rowid", "track WHERE id"] {
            try database.run("DELETE FROM \(table) = ?", [old.id])
        }
        return old
    }

    private mutating func insert(
        _ record: CatalogueRecord, _ tags: CatalogueRecord.Tags, replacing old: Old?
    ) throws {
        let artist = try tags.artist.map { try keepArtist($0) }
        let albumArtist = try tags.albumArtist.map { try keepArtist($0) }
        let album = try tags.album.map { title in
            let owner = tags.albumArtist.map(Self.identity) ?? "/" + tags.albumPlace
            let id = keys.of("album", Self.identity(title), owner)
            if touched.albums.insert(id).inserted { try keep(id, "album (id, title, sort)", title) }
            return id
        }
        touched.note(artist: artist, album: album, albumArtist: albumArtist)
        let statement = try database.cachedStatement(
            sql: """
                INSERT INTO track (
                    id, key, folder, uri, size, modified, changed, inode, title, sort, artist, album, albumArtist, year,
                    disc, number, duration, codec, bitrate, sampleRate, channels, picture, added, measured, loudness, peak,
                    gated)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                """)
        // The measured loudness stays valid unless the file has changed.
        let kept = old.flatMap { $0.stamp.isSameContent(as: record.stamp) ? $0 : nil }
        statement.setUncheckedArguments([
            old?.id, record.key, record.folder, record.uri, record.stamp.size, record.stamp.modified,
            record.stamp.changed, Int64(bitPattern: record.stamp.inode), tags.title, SearchText.sortKey(tags.title),
            artist, album, albumArtist, tags.year, tags.disc, tags.number, tags.duration, tags.codec, tags.bitrate,
            tags.sampleRate, tags.channels, tags.hasPicture, old?.added ?? now, kept?.measured ?? 0,
            kept?.loudness, kept?.peak, kept?.gated,
        ])
        try statement.execute()
        let id = old?.id ?? database.lastInsertedRowID
        for name in tags.genres {
            let genre = keys.of("genre", Self.identity(name))
            if touched.genres.insert(genre).inserted { try keep(genre, "genre (id, name, sort)", name) }
            try database.run("INSERT OR IGNORE INTO trackGenre VALUES (?, ?)", [genre, id])
        }
        let names = [tags.artist, tags.albumArtist == tags.artist ? nil : tags.albumArtist].compactMap { $0 }
        try database.run(
            "INSERT INTO trackText (rowid, title, artist, album, file) VALUES (?, ?, ?, ?, ?)",
            [
                id, SearchText.folded(tags.title), SearchText.folded(names.joined(separator: " ")),
                SearchText.folded(tags.album ?? ""), SearchText.folded(CatalogueRecord.Tags.stem(record.uri)),
            ])
    }

    private mutating func keepArtist(_ name: String) throws -> Int64 {
        let id = keys.of("artist", Self.identity(name))
        if touched.artists.insert(id).inserted { try keep(id, "artist (id, name, sort)", name) }
        return id
    }

    /// The first spelling stays.
    private func keep(_ id: Int64, _ table: String, _ name: String) throws {
        try database.run("INSERT OR IGNORE INTO \(table) VALUES (?, ?, ?)", [id, name, SearchText.sortKey(name)])
    }

    /// Spellings that differ only in case, accents and punctuation are one name.
    private static func identity(_ name: String) -> String {
        let folded = SearchText.folded(name)
        return folded.isEmpty ? name : folded
    }
}
