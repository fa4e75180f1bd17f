// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import GRDB
import GRDBSQLite
import Glibc
import Logging

/// The treatment of databases that cannot be used.
enum DamagedFile {
    /// Returns whether the file's content is at fault. I/O errors and a lack of descriptors or permissions are not damage: the
    /// file may be intact and stays in place.
    static func isDamage(_ error: any Error) -> Bool {
        guard let error = error as? DatabaseError else { return error is UnfitFile }
        let damage: [ResultCode] = [
            .SQLITE_CORRUPT, .SQLITE_NOTADB, .SQLITE_ERROR, .SQLITE_FORMAT, .SQLITE_CONSTRAINT, .SQLITE_MISMATCH,
        ]
        return damage.contains(error.resultCode)
    }

    /// Returns whether the file is certainly damaged. Once a file is in use, the other codes may be our own mistakes, which a new
    /// file would not fix.
    static func isCorrupt(_ error: any Error) -> Bool {
        guard let error = error as? DatabaseError else { return error is UnfitFile }
        return [.SQLITE_CORRUPT, .SQLITE_NOTADB].contains(error.resultCode)
    }

    /// Opens a database. Sets it aside and begins a new one if it is damaged or not a file.
    ///
    /// - Parameters:
    ///   - loss: The consequence, for the log.
    ///   - isCopy: The content can be rebuilt, so its write-ahead file is not checked.
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

    /// Copies a damaged write-ahead file and its database, because SQLite overwrites invalid frames. The valid ones are used.
    private static func keepLostFrames(of path: String, _ logger: Logger) throws {
        let journal = path + "-wal"
        switch try WriteAheadFile.condition(journal) {
        case .whole: break
        case .unfinished: logger.warning("\(journal) ends within a change; this and any after it are lost")
        case .damaged:
            let aside = try SetAside.copy(path, with: ["", "-wal"])
            logger.error("\(journal) is damaged; kept as \(aside)-wal, the changes after the damage are lost")
            // Pages of the file may be newer than the rest of the journal.
            let file = try DatabaseQueue(path: path)
            try check(file)
            try file.close()
        }
    }

    static func setAside(_ path: String, _ logger: Logger, because error: any Error, loss: String) throws {
        let aside = try SetAside.move(path, with: SetAside.suffixes)
        logger.error("\(path) cannot be used (\(error)); kept as \(aside), \(loss)")
    }

    /// Throws if the file has invalid pages. Reads the whole file.
    static func check(_ file: some DatabaseReader) throws {
        let verdict = try file.read { try String.fetchOne($0, sql: "PRAGMA quick_check(1)") }
        guard verdict == "ok" else { throw UnfitFile(description: verdict ?? "it cannot be checked") }
    }

    /// Creates the file for this user only; its journal inherits the mode. SQLite reports failures.
    static func makePrivate(_ path: String) {
        let descriptor = Glibc.open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        if descriptor >= 0 { Glibc.close(descriptor) }
    }
}

extension Database {
    /// Throws if the file is no longer at its path, where changes would be lost. Costs one stat(2).
    func requireUnmoved() throws(StateStoreError) {
        var isMoved: Int32 = 0
        sqlite3_file_control(sqliteConnection, "main", SQLITE_FCNTL_HAS_MOVED, &isMoved)
        guard isMoved == 0 else { throw .unusable(path: path, reason: "it was removed or moved") }
    }

    private var path: String { String(cString: sqlite3_db_filename(sqliteConnection, "main")) }
}

/// Unused pages that SQLite keeps in a file.
enum FreePages {
    /// 16 MB. Fewer pages are soon reused.
    static let kept = 4_096

    /// Shrinks the file if most of it is unused, so that little has to be written. Call at the start, when no command waits.
    static func giveBack(_ file: some DatabaseWriter) {
        do {
            let (free, all) = try file.read { database in
                try (
                    Int.fetchOne(database, sql: "PRAGMA freelist_count") ?? 0,
                    Int.fetchOne(database, sql: "PRAGMA page_count") ?? 0
                )
            }
            if free > kept, free > all / 2 { try file.vacuum() }
        } catch {
            // A full disk, for example. The file is unchanged.
        }
    }
}

/// Renames unusable files within their directory; never deletes any.
enum SetAside {
    /// The suffixes of a database's files.
    static let suffixes = ["", "-wal", "-shm"]

    /// Returns why no state can be saved under this name; nil for a regular file, a link to one, or a free name. Does not open the
    /// file, because a pipe would block.
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

    /// Returns the new name. `suffixes`: files that move together, so that SQLite still finds a database's journal.
    static func move(_ path: String, with suffixes: [String] = [""]) throws(StateStoreError) -> String {
        let target = free(path, suffixes)
        for suffix in suffixes where rename(path + suffix, target + suffix) != 0 && errno != ENOENT {
            throw .failed(errno, path: path + suffix)
        }
        return target
    }

    /// Like `move`, but keeps the originals.
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

    /// A name that is free for all suffixes.
    private static func free(_ path: String, _ suffixes: [String]) -> String {
        // Such as 20060102T150405Z.
        let time = Date.now.ISO8601Format(.init(dateSeparator: .omitted, timeSeparator: .omitted))
        let stem = "\(path).damaged-\(time)"
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
