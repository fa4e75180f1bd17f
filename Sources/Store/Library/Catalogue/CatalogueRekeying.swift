// SPDX-License-Identifier: Apache-2.0

import GRDB

/// Converts a catalogue with the hashes of another key to this key.
///
/// Folders and files get their new keys at once. Artists, albums and genres follow when the next scan reads all files again,
/// which keeps the times at which tracks were added.
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
            String.fromDatabaseValue(values[0]).map { keys.of(folderOf: $0) }
        }
        try pool.write { database in
            database.add(function: own)
            database.add(function: parent)
            // No file has this modification time: all count as changed.
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
