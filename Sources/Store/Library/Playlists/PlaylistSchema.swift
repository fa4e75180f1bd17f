// SPDX-License-Identifier: Apache-2.0

import GRDB

/// The tables of `playlists.sqlite`. A separate file: the catalogue's is disposable, and the state's must not wait while a long
/// list is written.
enum PlaylistSchema: DatabaseSchema {
    /// "Tonp".
    static let applicationID = 0x546F_6E70
    static let fingerprint: UInt64 = 0x952f_4247_ce86_4032

    static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("1 playlists") { database in
            // AUTOINCREMENT: the id of a removed list is never reused.
            try database.execute(
                sql: """
                    CREATE TABLE playlist (
                        id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL, revision INTEGER NOT NULL,
                        modified REAL NOT NULL);
                    CREATE TABLE entry (
                        playlist INTEGER NOT NULL REFERENCES playlist (id) ON DELETE CASCADE,
                        place INTEGER NOT NULL, uri TEXT NOT NULL, title TEXT, artist TEXT, album TEXT,
                        PRIMARY KEY (playlist, place)) WITHOUT ROWID;
                    PRAGMA application_id = \(applicationID);
                    """)
        }
        migrator.registerMigration("2 reach") { database in
            // NULL: anywhere.
            try database.execute(sql: "ALTER TABLE entry ADD COLUMN reach TEXT")
        }
        migrator.registerMigration("3 bytes") { database in
            // The size of a list's entries, counted as in `PlaylistEntry.bytes`.
            try database.execute(
                sql: """
                    ALTER TABLE playlist ADD COLUMN bytes INTEGER NOT NULL DEFAULT 0;
                    UPDATE playlist SET bytes = (
                        SELECT coalesce(sum(
                            length(CAST(uri AS BLOB)) + coalesce(length(CAST(title AS BLOB)), 0)
                            + coalesce(length(CAST(artist AS BLOB)), 0) + coalesce(length(CAST(album AS BLOB)), 0)), 0)
                        FROM entry WHERE playlist = playlist.id)
                    """)
        }
        return migrator
    }

    static func open(_ path: String) throws -> DatabaseQueue {
        var configuration = Configuration()
        configuration.label = "playlists"
        configuration.prepareDatabase { database in
            // FULL: answered changes survive a power cut; lists are seldom written.
            try database.execute(
                sql: "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA journal_size_limit = 1048576")
        }
        DamagedFile.makePrivate(path)
        let queue = try DatabaseQueue(path: path, configuration: configuration)
        try prepare(queue)
        try DamagedFile.check(queue)
        FreePages.giveBack(queue)
        return queue
    }
}
