// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import GRDB
import GRDBSQLite
import Glibc
import Kernel
import Logging
import Synchronization

/// Databases that cannot be used.
enum DamagedFile {
    /// Whether the file's content is at fault. What the disk or the process cannot do now (input and output, descriptors,
    /// permissions) is no damage: the file may be whole, and is kept in its place.
    static func isDamage(_ error: any Error) -> Bool {
        guard let error = error as? DatabaseError else { return error is UnfitFile }
        let damage: [ResultCode] = [
            .SQLITE_CORRUPT, .SQLITE_NOTADB, .SQLITE_ERROR, .SQLITE_FORMAT, .SQLITE_CONSTRAINT, .SQLITE_MISMATCH,
        ]
        return damage.contains(error.resultCode)
    }

    /// Damage for certain. Of a file that was opened and used, the other codes can be our own mistakes as well, which
    /// a new file would not mend.
    static func isCorrupt(_ error: any Error) -> Bool {
        guard let error = error as? DatabaseError else { return error is UnfitFile }
        return [.SQLITE_CORRUPT, .SQLITE_NOTADB].contains(error.resultCode)
    }

    /// Opens a database; one that is damaged, or what is no file, is set aside and a new one begun.
    ///
    /// - Parameters:
    ///   - loss: What is gone with it, for the log.
    ///   - isCopy: What it holds can be had again: its write-ahead file is not worth a look.
    static func opening<Opened>(
        _ path: String, _ logger: Logger, loss: String, isCopy: Bool = false, _ open: () throws -> Opened
    ) throws -> Opened {
        for suffix in SetAside.suffixes + ["-journal"] {
            guard let reason = SetAside.reasonAgainst(path + suffix) else { continue }
            let aside = try SetAside.move(path + suffix)
            logger.error("\(path + suffix) \(reason); kept as \(aside)")
        }
        do {
            if !isCopy { try keepLostFrames(of: path, logger) }
            return try open()
        } catch {
            guard isDamage(error) else { throw error }
            try setAside(path, logger, because: error, loss: loss)
            return try open()
        }
    }

    /// SQLite ignores what it cannot take of a write-ahead file, and overwrites it. Damage is copied with the file, and the
    /// rest used.
    private static func keepLostFrames(of path: String, _ logger: Logger) throws {
        let journal = path + "-wal"
        switch try WriteAheadFile.condition(journal) {
        case .whole: break
        case .unfinished: logger.warning("\(journal) ends within a change; this and any after it are lost")
        case .damaged:
            let aside = try SetAside.copy(path, with: ["", "-wal"])
            logger.error("\(journal) is damaged; kept as \(aside)-wal, the changes after the damage are lost")
            // Pages of the file can be newer than those that are left of the journal.
            let file = try DatabaseQueue(path: path)
            try check(file)
            try file.close()
        }
    }

    static func setAside(_ path: String, _ logger: Logger, because error: any Error, loss: String) throws {
        let aside = try SetAside.move(path, with: SetAside.suffixes)
        logger.error("\(path) cannot be used (\(error)); kept as \(aside), \(loss)")
    }

    /// Throws when pages of the file make no sense. Reads all of it.
    static func check(_ file: some DatabaseReader) throws {
        let verdict = try file.read { try String.fetchOne($0, sql: "PRAGMA quick_check(1)") }
        guard verdict == "ok" else { throw UnfitFile(description: verdict ?? "it cannot be checked") }
    }

    /// Only for this user: the journal takes over its mode. SQLite reports what fails.
    static func makePrivate(_ path: String) {
        let descriptor = Glibc.open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        if descriptor >= 0 { Glibc.close(descriptor) }
    }
}

/// A file that is not ours, or newer than this program.
struct UnfitFile: Error, CustomStringConvertible {
    var description: String

    /// Brings a file up to date, and throws unless it is ours, no newer than this program, and whole.
    static func prepare(
        _ file: some DatabaseWriter, applicationID: Int, fingerprint: UInt64, _ migrator: DatabaseMigrator
    ) throws {
        let isCurrent = try file.read { database in
            try self.fingerprint(database) == fingerprint
                && Int.fetchOne(database, sql: "PRAGMA application_id") == applicationID
                && String.fetchAll(database, sql: "SELECT identifier FROM grdb_migrations ORDER BY rowid")
                    == migrator.migrations
        }
        // The usual case: what follows takes several milliseconds of a start.
        if isCurrent { return }
        let isEmpty = try file.read { database in
            try check(database, applicationID: applicationID, migrator)
        }
        try migrator.migrate(file)
        // What was empty has just been made whole.
        if !isEmpty { try file.read { try checkSchema($0, migrator) } }
    }

    /// Of all tables and indices, to the letter. A file that has the schema's own is as the migrations leave it; one with
    /// another may be as good.
    static func fingerprint(_ database: Database) throws -> UInt64 {
        let sql = """
            SELECT group_concat(type || ' ' || name || ' ' || coalesce(sql, ''), char(10)) FROM sqlite_master
            WHERE substr(name, 1, 7) <> 'sqlite_'
            """
        return StableHash(of: (try String.fetchOne(database, sql: sql) ?? "").utf8).value
    }

    /// Throws unless the file is empty or carries our number and no unknown migration.
    /// - Returns: whether it is empty.
    private static func check(
        _ database: Database, applicationID: Int, _ migrator: DatabaseMigrator
    ) throws -> Bool {
        // Migrations begin with a table of their own: a first start may have been ended behind that.
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

    /// Throws unless every table that the migrations make is there with all its columns, and every index: a migration that
    /// is noted as done is not done again. More than that may be there.
    private static func checkSchema(_ database: Database, _ migrator: DatabaseMigrator) throws {
        let wanted = try model.withLock { model in
            let queue = try model ?? DatabaseQueue()
            model = queue
            try queue.writeWithoutTransaction { try empty($0) }
            try migrator.migrate(queue)
            return try queue.read { try schema($0) }
        }
        let found = try schema(database)
        for (name, columns) in wanted {
            guard let there = found[name] else { throw UnfitFile(description: "its \(name) is missing") }
            guard columns.isSubset(of: there) else {
                throw UnfitFile(description: "its \(name) is wrong")
            }
        }
    }

    /// Drops all tables; GRDB's `erase` would make a second queue, and end it.
    private static func empty(_ database: Database) throws {
        let sql = """
            SELECT name FROM pragma_table_list WHERE schema = 'main' AND type IN ('table', 'virtual')
            AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY type DESC
            """
        for name in try String.fetchAll(database, sql: sql) { try database.execute(sql: "DROP TABLE \"\(name)\"") }
    }

    /// In memory. One for all files, and never given back: the end of a GRDB queue starts a thread of libdispatch, which
    /// wakes every second from then on.
    private static let model = Mutex<DatabaseQueue?>(nil)

    /// The columns of all tables and indices, with their types, by `table name` or `index name`.
    private static func schema(_ database: Database) throws -> [String: Set<String>] {
        var all: [String: Set<String>] = [:]
        let shadows = try Set(
            String.fetchAll(database, sql: "SELECT name FROM pragma_table_list WHERE type = 'shadow'"))
        let rows = try Row.fetchAll(
            database, sql: "SELECT type, name FROM sqlite_master WHERE type IN ('table', 'index')")
        for row in rows {
            let (type, name): (String, String) = (row[0], row[1])
            // What SQLite makes by itself comes and goes with its versions.
            if name.hasPrefix("sqlite_") { continue }
            // The columns of what a virtual table keeps its data in are the matter of SQLite's version.
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

extension Database {
    /// Throws when the file is no longer at its path: what is written to it would not be found again. One stat(2).
    func requireUnmoved() throws(StateStoreError) {
        var isMoved: Int32 = 0
        sqlite3_file_control(sqliteConnection, "main", SQLITE_FCNTL_HAS_MOVED, &isMoved)
        guard isMoved == 0 else { throw .unusable(path: path, reason: "it was removed or moved") }
    }

    private var path: String { String(cString: sqlite3_db_filename(sqliteConnection, "main")) }
}

/// Pages that SQLite keeps in a file after what was on them has gone.
enum FreePages {
    /// 16 MB: fewer are soon in use again.
    static let kept = 4_096

    /// Gives them back to the disk where they are most of the file, so that little has to be written. For the start: nothing
    /// waits then.
    static func giveBack(_ file: some DatabaseWriter) {
        do {
            let (free, all) = try file.read { database in
                (
                    try Int.fetchOne(database, sql: "PRAGMA freelist_count") ?? 0,
                    try Int.fetchOne(database, sql: "PRAGMA page_count") ?? 0
                )
            }
            if free > kept, free > all / 2 { try file.vacuum() }
        } catch {
            // A full disk, for instance: the file stays as it is, and whole.
        }
    }
}

/// Moves what cannot be used out of the way, under another name in the same directory; nothing is ever deleted.
enum SetAside {
    /// Of the database's files.
    static let suffixes = ["", "-wal", "-shm"]

    /// Why no state can be kept under this name; nil for a regular file, or a link to one, or nothing. Looks without
    /// opening, as a pipe would block.
    static func reasonAgainst(_ path: String) -> String? {
        var status = stat()
        guard stat(path, &status) == 0 else {
            let code = errno
            guard lstat(path, &status) == 0 else { return nil }
            return "leads nowhere (\(String(cString: strerror(code))))"
        }
        switch status.st_mode & S_IFMT {
        case S_IFREG: return nil
        case S_IFDIR: return "is a directory"
        case S_IFIFO: return "is a pipe"
        default: return "is no file"
        }
    }

    /// Returns the new name. `suffixes`: files that go along, so that SQLite still finds the journal of its database.
    static func move(_ path: String, with suffixes: [String] = [""]) throws(StateStoreError) -> String {
        let target = free(path, suffixes)
        for suffix in suffixes where rename(path + suffix, target + suffix) != 0 && errno != ENOENT {
            throw .failed(errno, path: path + suffix)
        }
        return target
    }

    /// As `move`; the files stay as well.
    static func copy(_ path: String, with suffixes: [String]) throws(StateStoreError) -> String {
        let target = free(path, suffixes)
        for suffix in suffixes where access(path + suffix, F_OK) == 0 {
            do {
                try FileManager.default.copyItem(atPath: path + suffix, toPath: target + suffix)
            } catch {
                throw .failed(error, path: target + suffix)
            }
        }
        return target
    }

    /// A name that none of the files has.
    private static func free(_ path: String, _ suffixes: [String]) -> String {
        var now = time(nil)
        var parts = tm()
        gmtime_r(&now, &parts)
        var text = [CChar](repeating: 0, count: 32)
        let length = strftime(&text, text.count, "%Y%m%dT%H%M%SZ", &parts)
        let stem =
            path + ".damaged-" + String(decoding: text.prefix(length).map(UInt8.init(bitPattern:)), as: UTF8.self)
        var target = stem
        var number = 1
        var status = stat()
        while suffixes.contains(where: { lstat(target + $0, &status) == 0 }) {
            number += 1
            target = "\(stem)-\(number)"
        }
        return target
    }
}
