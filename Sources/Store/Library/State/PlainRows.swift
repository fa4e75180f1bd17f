// SPDX-License-Identifier: Apache-2.0

import GRDB
import GRDBSQLite

/// Writes items that have nothing but a `uri` and a source, as most have, a hundred thousand of them in one request: bound without
/// the boxes that GRDB's arguments are.
struct PlainRows {
    private let database: Database
    private let statement: Statement
    /// SQLITE_TRANSIENT, which C writes as a cast.
    private static let copied = unsafeBitCast(-1, to: sqlite3_destructor_type.self)

    init(_ database: Database) throws {
        self.database = database
        statement = try database.cachedStatement(
            sql:
                "INSERT OR REPLACE INTO item (id, rank, uri, source) VALUES (?, ?, ?, ?)")
    }

    func insert(id: Int64, rank: Int64, uri: String, source: String?) throws {
        let row = statement.sqliteStatement
        let length = Int32(uri.utf8.count)
        let code = uri.withCString { bytes in
            sqlite3_bind_int64(row, 1, id)
            sqlite3_bind_int64(row, 2, rank)
            if let source {
                sqlite3_bind_text(row, 4, source, -1, Self.copied)
            } else {
                sqlite3_bind_null(row, 4)
            }
            // Without a copy: it is read before it goes.
            sqlite3_bind_text(row, 3, bytes, length, nil)
            defer {
                sqlite3_reset(row)
                sqlite3_clear_bindings(row)
            }
            return sqlite3_step(row)
        }
        guard code == SQLITE_DONE else {
            throw DatabaseError(
                resultCode: ResultCode(rawValue: sqlite3_extended_errcode(database.sqliteConnection)),
                message: database.lastErrorMessage)
        }
    }
}
