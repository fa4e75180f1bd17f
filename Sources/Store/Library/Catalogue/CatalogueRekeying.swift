// SPDX-License-Identifier: Apache-2.0

import GRDB

/// Brings a catalogue whose rows carry the hashes of another key, or of none, to this one.
///
/// Folders and files get their new keys at once. Their artists, albums and genres follow as the next scan reads all files
/// again, which keeps when each came in.
enum CatalogueRekeying {
    static func run(in pool: DatabasePool, _ keys: CatalogueKeys) throws {
        let isNeeded = try pool.read { database in
            let top = try Int64.fetchOne(database, sql: "SELECT id FROM folder WHERE uri = ''")
            let isEmpty = try Int.fetchOne(database, sql: "SELECT EXISTS (SELECT * FROM folder)") == 0
            return !isEmpty && top != keys.of("")
        }
        guard isNeeded else { return }
        let own = DatabaseFunction("catalogueKey", argumentCount: 1, pure: true) { values in
            String.fromDatabaseValue(values[0]).map { keys.of($0) }
        }
        let parent = DatabaseFunction("catalogueFolder", argumentCount: 1, pure: true) { values in
            String.fromDatabaseValue(values[0]).map { uri in
                keys.of(uri.utf8.lastIndex(of: UInt8(ascii: "/")).map { slash in String(uri[..<slash]) } ?? "")
            }
        }
        try pool.write { database in
            database.add(function: own)
            database.add(function: parent)
            // No file was ever written before the epoch: each counts as changed.
            try database.execute(
                sql: """
                    UPDATE folder SET id = catalogueKey(uri),
                        parent = CASE uri WHEN '' THEN NULL ELSE catalogueFolder(uri) END;
                    UPDATE track SET key = catalogueKey(uri), folder = catalogueFolder(uri), modified = -1;
                    UPDATE failure SET key = catalogueKey(uri), folder = catalogueFolder(uri), modified = -1;
                    UPDATE album SET artwork = NULL;
                    """)
            database.remove(function: own)
            database.remove(function: parent)
        }
    }
}
