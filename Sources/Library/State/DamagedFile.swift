// SPDX-License-Identifier: Apache-2.0

import GRDB
import Glibc

/// Databases that cannot be read.
enum DamagedFile {
    static func isDamage(_ error: any Error) -> Bool {
        guard let error = error as? DatabaseError else { return error is UnfitFile }
        return [.SQLITE_CORRUPT, .SQLITE_NOTADB, .SQLITE_ERROR, .SQLITE_FORMAT, .SQLITE_CONSTRAINT, .SQLITE_MISMATCH]
            .contains(error.resultCode)
    }

    /// Damage for certain. Of a file that was opened and used, the other codes tell of our own mistakes as well, which
    /// a new file would not mend.
    static func isCorrupt(_ error: any Error) -> Bool {
        guard let error = error as? DatabaseError else { return error is UnfitFile }
        return [.SQLITE_CORRUPT, .SQLITE_NOTADB].contains(error.resultCode)
    }

    /// Renames it, with its journal under a name by which SQLite still finds it. Returns the new name.
    static func setAside(_ path: String) throws(StateStoreError) -> String {
        var now = time(nil)
        var parts = tm()
        gmtime_r(&now, &parts)
        var text = [CChar](repeating: 0, count: 32)
        strftime(&text, text.count, "%Y%m%dT%H%M%SZ", &parts)
        let stem = path + ".damaged-" + text.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
        var target = stem
        var number = 1
        while access(target, F_OK) == 0 {
            number += 1
            target = "\(stem)-\(number)"
        }
        for suffix in ["", "-wal", "-shm"] where rename(path + suffix, target + suffix) != 0 && errno != ENOENT {
            throw .unusable(path: path + suffix, reason: String(cString: strerror(errno)))
        }
        return target
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
