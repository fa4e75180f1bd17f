// SPDX-License-Identifier: Apache-2.0

import GRDB
import Kernel
import Synchronization

/// The tables of one of our databases.
protocol DatabaseSchema {
    /// In the file's header. Distinguishes our files from those of other programs.
    static var applicationID: Int { get }
    /// The fingerprint after all migrations. A test prints the new one.
    static var fingerprint: UInt64 { get }
    static var migrator: DatabaseMigrator { get }
}

extension DatabaseSchema {
    /// Migrates a file. Throws `UnfitFile` unless it is ours, no newer than this program, and complete.
    static func prepare(_ file: some DatabaseWriter) throws {
        let isCurrent = try file.read { database in
            try UnfitFile.fingerprint(database) == fingerprint
                && Int.fetchOne(database, sql: "PRAGMA application_id") == applicationID
                && String.fetchAll(database, sql: "SELECT identifier FROM grdb_migrations ORDER BY rowid")
                    == migrator.migrations
        }
        // The usual case. The rest takes several milliseconds.
        if isCurrent { return }
        let isEmpty = try file.read { try checkOwner($0) }
        try migrator.migrate(file)
        if !isEmpty { try file.read { try checkTables($0) } }
    }

    /// Throws unless the file is empty, or has our application id and no unknown migration.
    /// - Returns: whether the file is empty.
    private static func checkOwner(_ database: Database) throws -> Bool {
        // A first start may have been killed after GRDB created its table of migrations.
        let isEmpty =
            try Int.fetchOne(database, sql: "SELECT count(*) FROM sqlite_master WHERE tbl_name <> 'grdb_migrations'")
            == 0 && migrator.appliedIdentifiers(database).isEmpty
        let owner = try Int.fetchOne(database, sql: "PRAGMA application_id")
        guard isEmpty || owner == applicationID else { throw UnfitFile(description: "it belongs to another program") }
        guard try !migrator.hasBeenSuperseded(database) else {
            throw UnfitFile(description: "it was written by a newer version")
        }
        return isEmpty
    }

    /// Throws unless the file has all tables, columns and indices of the migrations: a recorded migration does not run again.
    /// Additional ones are allowed.
    private static func checkTables(_ database: Database) throws {
        let wanted = try UnfitFile.model.withLock { model in
            let queue = try model ?? DatabaseQueue()
            model = queue
            try queue.writeWithoutTransaction { try empty($0) }
            try migrator.migrate(queue)
            return try queue.read { try schema($0) }
        }
        let found = try schema(database)
        for (name, columns) in wanted {
            guard let there = found[name] else { throw UnfitFile(description: "its \(name) is missing") }
            guard columns.isSubset(of: there) else { throw UnfitFile(description: "its \(name) is wrong") }
        }
    }

    /// Drops all tables. GRDB's `erase` would create and end a second queue.
    private static func empty(_ database: Database) throws {
        let sql = """
            SELECT name FROM pragma_table_list WHERE schema = 'main' AND type IN ('table', 'virtual')
            AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY type DESC
            """
        for name in try String.fetchAll(database, sql: sql) { try database.execute(sql: "DROP TABLE \"\(name)\"") }
    }

    /// The columns of all tables and indices, with their types, by `table name` or `index name`.
    private static func schema(_ database: Database) throws -> [String: Set<String>] {
        var all: [String: Set<String>] = [:]
        let shadows = try Set(
            String.fetchAll(database, sql: "SELECT name FROM pragma_table_list WHERE type = 'shadow'"))
        let rows = try Row.fetchAll(
            database, sql: "SELECT type, name FROM sqlite_master WHERE type IN ('table', 'index')")
        for row in rows {
            let (type, name): (String, String) = (row[0], row[1])
            // SQLite's own tables depend on its version.
            if name.hasPrefix("sqlite_") { continue }
            // The columns of shadow tables depend on it too.
            if shadows.contains(name) {
                all["\(type) \(name)"] = []
                continue
            }
            let sql =
                type == "table"
                ? "SELECT name || ' ' || type || ' ' || pk || ' ' || \"notnull\" FROM pragma_table_xinfo(?)"
                : "SELECT seqno || ' ' || coalesce(name, '') FROM pragma_index_info(?)"
            all["\(type) \(name)"] = Set(try String.fetchAll(database, sql: sql, arguments: [name]))
        }
        return all
    }
}

/// A file of another program or of a newer version, or one with an incomplete schema.
struct UnfitFile: Error, CustomStringConvertible {
    var description: String

    /// A hash of the exact text of the schema. A file with an equal one is as the migrations leave it; one with another may be
    /// usable too.
    static func fingerprint(_ database: Database) throws -> UInt64 {
        let sql = """
            SELECT group_concat(type || ' ' || name || ' ' || coalesce(sql, ''), char(10)) FROM sqlite_master
            WHERE substr(name, 1, 7) <> 'sqlite_'
            """
        return StableHash(of: (try String.fetchOne(database, sql: sql) ?? "").utf8).value
    }

    /// A database in memory that shows the result of the migrations. Shared and never released: the end of a GRDB queue starts a
    /// thread of libdispatch, which then wakes every second.
    fileprivate static let model = Mutex<DatabaseQueue?>(nil)
}
