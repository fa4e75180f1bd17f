// SPDX-License-Identifier: Apache-2.0

import GRDB

/// Statements that are compiled once for each connection.
extension Database {
    func run(_ sql: String, _ arguments: StatementArguments) throws {
        try cachedStatement(sql: sql).execute(arguments: arguments)
    }

    func row(_ sql: String, _ arguments: StatementArguments = []) throws -> Row? {
        try Row.fetchOne(cachedStatement(sql: sql), arguments: arguments)
    }

    func rows(_ sql: String, _ arguments: StatementArguments) throws -> [Row] {
        try Row.fetchAll(cachedStatement(sql: sql), arguments: arguments)
    }

    /// The numbers of the first column.
    func numbers(_ sql: String, _ arguments: StatementArguments) throws -> [Int64] {
        try Int64.fetchAll(cachedStatement(sql: sql), arguments: arguments)
    }
}
