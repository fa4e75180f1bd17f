// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import GRDB
import Media

/// Writes what a scan found; lives within one transaction. Remembers whose totals that changes, for `CatalogueTotals`.
struct CatalogueWriter {
    let database: Database
    let keys: CatalogueKeys
    /// Seconds since the Unix epoch, for what comes in new.
    let now: Double
    private(set) var touched = CatalogueTotals()
    private(set) var added = 0
    private(set) var changed = 0
    private(set) var removed = 0

    mutating func keepFolder(_ uri: String, hasPicture: Bool) throws {
        let parent: Int64? =
            uri.isEmpty ? nil : keys.of(uri.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(uri[..<$0]) } ?? "")
        try database.cachedStatement(sql: "INSERT OR IGNORE INTO folder VALUES (?, ?, ?, ?)")
            .execute(arguments: [keys.of(uri), uri, parent, hasPicture])
    }

    /// A folder has got a picture, or lost it: what its albums show follows.
    mutating func setPicture(_ isThere: Bool, ofFolder id: Int64) throws {
        try database.cachedStatement(sql: "UPDATE folder SET picture = ? WHERE id = ?")
            .execute(arguments: [isThere, id])
        let albums = try Int64.fetchAll(
            database.cachedStatement(
                sql: "SELECT DISTINCT album FROM track WHERE folder = ? AND album IS NOT NULL"), arguments: [id])
        touched.albums.formUnion(albums)
    }

    mutating func keep(_ record: CatalogueRecord) throws {
        let old = try takeOut(record.key)
        switch record.content {
        case .failure(let reason):
            try database.cachedStatement(sql: "INSERT INTO failure VALUES (?, ?, ?, ?, ?, ?, ?, ?)").execute(
                arguments: [
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
        let keys = try Int64.fetchAll(
            database.cachedStatement(
                sql: "SELECT key FROM track WHERE folder = ?1 UNION ALL SELECT key FROM failure WHERE folder = ?1"),
            arguments: [id])
        for key in keys { try remove(key) }
        try database.cachedStatement(sql: "DELETE FROM folder WHERE id = ?").execute(arguments: [id])
    }

    private struct Old {
        var id: Int64
        var added: Double
        var stamp: FileStamp
        var measured: Int
        var loudness: Double?
        var peak: Double?
        var gated: Double?
    }

    /// Takes the rows of a file out; what of them outlives a change comes back.
    private mutating func takeOut(_ key: Int64) throws -> Old? {
        let row = try Row.fetchOne(
            database.cachedStatement(
                sql: """
                    SELECT id, added, artist, album, albumArtist, size, modified, changed, inode, measured, loudness, peak,
                        gated
                    FROM track WHERE key = ?
                    """),
            arguments: [key])
        guard let row else {
            try database.cachedStatement(sql: "DELETE FROM failure WHERE key = ?").execute(arguments: [key])
            return nil
        }
        let stamp = FileStamp(
            size: row[5], modified: row[6], changed: row[7], inode: UInt64(bitPattern: row[8] as Int64))
        let old = Old(
            id: row[0], added: row[1], stamp: stamp, measured: row[9], loudness: row[10], peak: row[11],
            gated: row[12])
        touched.note(artist: row[2], album: row[3], albumArtist: row[4])
        let genres = try Int64.fetchAll(
            database.cachedStatement(sql: "SELECT genre FROM trackGenre WHERE track = ?"), arguments: [old.id])
        touched.genres.formUnion(genres)
        for table in ["trackGenre WHERE track", "trackText WHERE rowid", "track WHERE id"] {
            try database.cachedStatement(sql: "DELETE FROM \(table) = ?").execute(arguments: [old.id])
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
            if touched.albums.insert(id).inserted {
                try keep(id, "album (id, title, sort)", title)
            }
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
        // What was measured holds for a file that is only read again.
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
            try database.cachedStatement(sql: "INSERT OR IGNORE INTO trackGenre VALUES (?, ?)")
                .execute(arguments: [genre, id])
        }
        let names = [tags.artist, tags.albumArtist == tags.artist ? nil : tags.albumArtist].compactMap { $0 }
        let text = try database.cachedStatement(
            sql: "INSERT INTO trackText (rowid, title, artist, album, file) VALUES (?, ?, ?, ?, ?)")
        text.setUncheckedArguments([
            id, SearchText.folded(tags.title), SearchText.folded(names.joined(separator: " ")),
            SearchText.folded(tags.album ?? ""), SearchText.folded(CatalogueRecord.Tags.stem(record.uri)),
        ])
        try text.execute()
    }

    private mutating func keepArtist(_ name: String) throws -> Int64 {
        let id = keys.of("artist", Self.identity(name))
        if touched.artists.insert(id).inserted { try keep(id, "artist (id, name, sort)", name) }
        return id
    }

    /// The spelling that came first stays.
    private func keep(_ id: Int64, _ table: String, _ name: String) throws {
        try database.cachedStatement(sql: "INSERT OR IGNORE INTO \(table) VALUES (?, ?, ?)")
            .execute(arguments: [id, name, SearchText.sortKey(name)])
    }

    /// Spellings that differ in case, accents and punctuation only are one name.
    private static func identity(_ name: String) -> String {
        let folded = SearchText.folded(name)
        return folded.isEmpty ? name : folded
    }
}
