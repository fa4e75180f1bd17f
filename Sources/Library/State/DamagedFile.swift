// SPDX-License-Identifier: Apache-2.0

import GRDB
import Glibc

/// Databases that cannot be used.
enum DamagedFile {
    static func isDamage(_ error: any Error) -> Bool {
        guard let error = error as? DatabaseError else { return error is UnfitFile }
        // The second row: this file cannot be read or written. Whether the directory can, a new one shows.
        return [
            .SQLITE_CORRUPT, .SQLITE_NOTADB, .SQLITE_ERROR, .SQLITE_FORMAT, .SQLITE_CONSTRAINT, .SQLITE_MISMATCH,
            .SQLITE_CANTOPEN, .SQLITE_PERM, .SQLITE_READONLY, .SQLITE_IOERR, .SQLITE_AUTH,
        ].contains(error.resultCode)
    }

    /// Damage for certain. Of a file that was opened and used, the other codes tell of our own mistakes as well, which
    /// a new file would not mend.
    static func isCorrupt(_ error: any Error) -> Bool {
        guard let error = error as? DatabaseError else { return error is UnfitFile }
        return [.SQLITE_CORRUPT, .SQLITE_NOTADB].contains(error.resultCode)
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

    /// Throws unless the file is empty or carries our number and no unknown migration.
    static func check(_ database: Database, applicationID: Int, _ migrator: DatabaseMigrator) throws {
        let isEmpty = try Int.fetchOne(database, sql: "SELECT count(*) FROM sqlite_master") == 0
        let owner = try Int.fetchOne(database, sql: "PRAGMA application_id")
        guard isEmpty || owner == applicationID else { throw UnfitFile(description: "it belongs to another program") }
        guard try !migrator.hasBeenSuperseded(database) else {
            throw UnfitFile(description: "it was written by a newer version")
        }
    }
}
