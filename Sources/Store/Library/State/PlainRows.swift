// SPDX-License-Identifier: Apache-2.0

import GRDB
import GRDBSQLite

/// Writes items that have only a `uri` and a source, as most have; one request may add 100,000. Binds values without GRDB's boxed
/// arguments, and writes several rows with one statement, because an execution costs as much as a row.
struct PlainRows {
    typealias Row = (id: Int64, rank: Int64, uri: String, source: String?)

    private static let together = 16
    private static let one = sql(rows: 1)
    private static let several = sql(rows: together)
    /// SQLITE_TRANSIENT, which C writes as a cast.
    private static let copied = unsafeBitCast(-1, to: sqlite3_destructor_type.self)

    private let database: Database
    private var waiting: [Row] = []

    init(_ database: Database) { self.database = database }

    mutating func insert(_ row: Row) throws {
        waiting.append(row)
        guard waiting.count == Self.together else { return }
        try write(waiting, Self.several)
        waiting.removeAll(keepingCapacity: true)
    }

    /// Writes the remaining rows.
    mutating func finish() throws {
        for row in waiting { try write([row], Self.one) }
        waiting = []
    }

    private func write(_ rows: [Row], _ sql: String) throws {
        let statement = try database.cachedStatement(sql: sql).sqliteStatement
        for (index, row) in rows.enumerated() {
            let first = Int32(4 * index)
            sqlite3_bind_int64(statement, first + 1, row.id)
            sqlite3_bind_int64(statement, first + 2, row.rank)
            sqlite3_bind_text(statement, first + 3, row.uri, Int32(row.uri.utf8.count), Self.copied)
            if let source = row.source {
                sqlite3_bind_text(statement, first + 4, source, -1, Self.copied)
            } else {
                sqlite3_bind_null(statement, first + 4)
            }
        }
        defer { sqlite3_reset(statement) }
        guard sqlite3_step(statement) == SQLITE_DONE else {
            throw DatabaseError(
                resultCode: ResultCode(rawValue: sqlite3_extended_errcode(database.sqliteConnection)),
                message: database.lastErrorMessage)
        }
    }

    private static func sql(rows: Int) -> String {
        "INSERT OR REPLACE INTO item (id, rank, uri, source) VALUES "
            + repeatElement("(?, ?, ?, ?)", count: rows).joined(separator: ", ")
    }
}
