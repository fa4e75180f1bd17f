// SPDX-License-Identifier: Apache-2.0

import GRDB

/// Statements that are compiled once for each connection.
extension Database {
    func run(_ sql: String, _ arguments: StatementArguments) throws {
        try cachedStatement(sql: sql).execute(arguments: arguments)
    }

    func row(_ sql: String, _ arguments: StatementArguments = []) throws -> StoredRow? {
        try Row.fetchOne(cachedStatement(sql: sql), arguments: arguments).map(StoredRow.init)
    }

    func rows(_ sql: String, _ arguments: StatementArguments = []) throws -> [StoredRow] {
        try Row.fetchAll(cachedStatement(sql: sql), arguments: arguments).map(StoredRow.init)
    }

    /// The numbers of the first column.
    func numbers(_ sql: String, _ arguments: StatementArguments) throws -> [Int64] {
        try Int64.fetchAll(cachedStatement(sql: sql), arguments: arguments)
    }
}

/// A row of a file. If the file is damaged, a value may have any type: GRDB's own subscripts would end the process.
struct StoredRow {
    private let row: Row

    init(_ row: Row) { self.row = row }

    subscript<Value: DatabaseValueConvertible>(index: Int) -> Value {
        get throws {
            guard let value = Value.fromDatabaseValue(row[index] as DatabaseValue) else {
                throw UnfitFile(description: "a value of it has the wrong type")
            }
            return value
        }
    }
}
