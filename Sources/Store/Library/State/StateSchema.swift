// SPDX-License-Identifier: Apache-2.0

import GRDB

/// The tables of `state.sqlite`. A published migration never changes; a new one follows it.
enum StateSchema: DatabaseSchema {
    /// "Tone".
    static let applicationID = 0x546F_6E65
    static let fingerprint: UInt64 = 0xff8e_160c_b575_182a

    static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("1 queue, settings, position") { database in
            // `rank`: see `Ranks`. Reading sorts in memory, so that writing keeps no index.
            try database.execute(
                sql: """
                    CREATE TABLE item (
                        id INTEGER PRIMARY KEY, rank INTEGER NOT NULL, uri TEXT NOT NULL, title TEXT, artist TEXT,
                        album TEXT, artworkURI TEXT, beginTime REAL, loops INTEGER, headers TEXT);
                    -- Rows of `item` that made no sense, kept for a look.
                    CREATE TABLE unreadable (
                        id, rank, uri, title, artist, album, artworkURI, beginTime, loops, headers);
                    CREATE TABLE player (key TEXT PRIMARY KEY, value) WITHOUT ROWID;
                    CREATE TABLE setting (key TEXT PRIMARY KEY, value) WITHOUT ROWID;
                    PRAGMA application_id = \(applicationID);
                    """)
        }
        migrator.registerMigration("2 reach") { database in
            // NULL: anywhere.
            try database.execute(
                sql: """
                    ALTER TABLE item ADD COLUMN reach TEXT;
                    ALTER TABLE unreadable ADD COLUMN reach;
                    """)
        }
        migrator.registerMigration("3 source") { database in
            // As `ItemSource.saved` writes it; NULL: the item was added by itself.
            try database.execute(
                sql: """
                    ALTER TABLE item ADD COLUMN source TEXT;
                    ALTER TABLE unreadable ADD COLUMN source;
                    """)
        }
        return migrator
    }
}
