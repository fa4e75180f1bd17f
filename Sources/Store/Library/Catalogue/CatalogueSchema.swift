// SPDX-License-Identifier: Apache-2.0

import GRDB

/// The tables of `library.sqlite`. A scan can rebuild the file, except for the times at which tracks were added.
///
/// The ids of artists, albums, genres and folders are keyed hashes of their names (`CatalogueKeys`): a rebuilt catalogue has the
/// same ids, and writing needs no look-up. The ids of tracks count up, because the full-text index wants ascending rows; their
/// hash is `key`.
enum CatalogueSchema: DatabaseSchema {
    /// "Tonl".
    static let applicationID = 0x546F_6E6C
    static let fingerprint: UInt64 = 0xb4f4_ed36_e0a4_076d

    static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("1 catalogue") { database in
            try database.execute(
                sql: """
                    CREATE TABLE folder (id INTEGER PRIMARY KEY, uri TEXT NOT NULL, parent INTEGER);
                    CREATE INDEX folderParent ON folder (parent);
                    CREATE TABLE artist (
                        id INTEGER PRIMARY KEY, name TEXT NOT NULL, sort TEXT NOT NULL,
                        albums INTEGER NOT NULL DEFAULT 0, tracks INTEGER NOT NULL DEFAULT 0);
                    CREATE INDEX artistSort ON artist (sort);
                    CREATE TABLE album (
                        id INTEGER PRIMARY KEY, title TEXT NOT NULL, sort TEXT NOT NULL, artist INTEGER, year INTEGER,
                        tracks INTEGER NOT NULL DEFAULT 0, duration REAL NOT NULL DEFAULT 0, artwork INTEGER,
                        added REAL NOT NULL DEFAULT 0);
                    CREATE INDEX albumSort ON album (sort);
                    CREATE INDEX albumArtist ON album (artist);
                    CREATE TABLE genre (
                        id INTEGER PRIMARY KEY, name TEXT NOT NULL, sort TEXT NOT NULL,
                        tracks INTEGER NOT NULL DEFAULT 0);
                    CREATE TABLE track (
                        id INTEGER PRIMARY KEY, key INTEGER NOT NULL, folder INTEGER NOT NULL, uri TEXT NOT NULL,
                        size INTEGER NOT NULL, modified INTEGER NOT NULL, changed INTEGER NOT NULL,
                        inode INTEGER NOT NULL, title TEXT NOT NULL, sort TEXT NOT NULL, artist INTEGER, album INTEGER,
                        albumArtist INTEGER, year INTEGER, disc INTEGER, number INTEGER, duration REAL,
                        codec TEXT NOT NULL, bitrate INTEGER, sampleRate INTEGER NOT NULL, channels INTEGER NOT NULL,
                        picture INTEGER NOT NULL, added REAL NOT NULL);
                    CREATE UNIQUE INDEX trackKey ON track (key);
                    CREATE INDEX trackFolder ON track (folder);
                    CREATE INDEX trackAlbum ON track (album, disc, number, sort);
                    CREATE INDEX trackArtist ON track (artist);
                    CREATE INDEX trackAlbumArtist ON track (albumArtist) WHERE albumArtist IS NOT NULL;
                    CREATE INDEX trackSort ON track (sort);
                    -- Files that carry an audio file's name and hold none: not opened again until they change.
                    CREATE TABLE failure (
                        key INTEGER PRIMARY KEY, folder INTEGER NOT NULL, uri TEXT NOT NULL, size INTEGER NOT NULL,
                        modified INTEGER NOT NULL, changed INTEGER NOT NULL, inode INTEGER NOT NULL,
                        reason TEXT NOT NULL);
                    CREATE INDEX failureFolder ON failure (folder);
                    CREATE TABLE trackGenre (
                        genre INTEGER NOT NULL, track INTEGER NOT NULL, PRIMARY KEY (genre, track)) WITHOUT ROWID;
                    CREATE INDEX trackGenreTrack ON trackGenre (track);
                    -- Texts as `SearchText` folds them.
                    CREATE VIRTUAL TABLE trackText USING fts5 (
                        title, artist, album, file, tokenize = 'unicode61 remove_diacritics 2', prefix = '1 2 3',
                        columnsize = 0);
                    CREATE VIRTUAL TABLE artistText USING fts5 (
                        name, tokenize = 'unicode61 remove_diacritics 2', prefix = '1 2 3', columnsize = 0);
                    CREATE VIRTUAL TABLE albumText USING fts5 (
                        title, artist, tokenize = 'unicode61 remove_diacritics 2', prefix = '1 2 3', columnsize = 0);
                    PRAGMA application_id = \(applicationID);
                    """)
        }
        migrator.registerMigration("2 folders with pictures") { database in
            // The next scan finds the folders with pictures; until then no album refers to one that is missing.
            try database.execute(
                sql: """
                    ALTER TABLE folder ADD COLUMN picture INTEGER NOT NULL DEFAULT 0;
                    UPDATE album SET artwork = NULL WHERE artwork IN (SELECT key FROM track WHERE picture = 0);
                    """)
        }
        migrator.registerMigration("3 measured loudness") { database in
            // `measured`: see `TrackMeasure`.
            try database.execute(
                sql: """
                    ALTER TABLE track ADD COLUMN measured INTEGER NOT NULL DEFAULT 0;
                    ALTER TABLE track ADD COLUMN loudness REAL;
                    ALTER TABLE track ADD COLUMN peak REAL;
                    CREATE INDEX trackUnmeasured ON track (key) WHERE measured = 0;
                    """)
        }
        migrator.registerMigration("4 gated seconds") { database in
            // An album's loudness needs them: tracks measured without them are measured again.
            try database.execute(
                sql: """
                    ALTER TABLE track ADD COLUMN gated REAL;
                    UPDATE track SET measured = 0 WHERE measured = 1;
                    """)
        }
        return migrator
    }
}
