// SPDX-License-Identifier: Apache-2.0

import GRDB
import GRDBSQLite

/// How many pages wait in the journal, as SQLite reports at each commit of one connection. On the state thread.
final class JournalLength {
    var pages: Int32 = 0

    /// Takes the place of SQLite's own checkpoints (`wal_autocheckpoint`). Must live as long as the connection commits.
    func follow(_ database: Database) {
        sqlite3_wal_hook(
            database.sqliteConnection,
            { context, _, _, pages in
                if let context { Unmanaged<JournalLength>.fromOpaque(context).takeUnretainedValue().pages = pages }
                return SQLITE_OK
            }, Unmanaged.passUnretained(self).toOpaque())
    }
}
