// SPDX-License-Identifier: Apache-2.0

import GRDB
import Glibc
import Logging
import Playback

/// Opens `state.sqlite`; one that cannot be read is set aside under another name and a new one is begun.
struct StateFile {
    typealias Preparation = @Sendable (Database) throws -> Void

    let queue: DatabaseQueue
    let saved: SavedPlayer
    let ranks: Ranks

    static func open(directory: String, logger: Logger, prepare: @escaping Preparation) throws(StateStoreError)
        -> StateFile
    {
        let path = directory + "/state.sqlite"
        do {
            return try StateFile(path: path, logger: logger, prepare: prepare)
        } catch {
            guard isDamage(error) else { throw .unusable(path: path, reason: "\(error)") }
            let aside = try setAside(path)
            logger.error("\(path) is damaged (\(error)); kept as \(aside), starting with an empty state")
        }
        do {
            return try StateFile(path: path, logger: logger, prepare: prepare)
        } catch {
            throw .unusable(path: path, reason: "\(error)")
        }
    }

    private init(path: String, logger: Logger, prepare: @escaping Preparation) throws {
        var configuration = Configuration()
        configuration.label = "state"
        configuration.prepareDatabase { database in
            try database.execute(
                sql: "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA journal_size_limit = 4194304")
            // Debian's SQLite overwrites every page that becomes free, all of a long queue's when it is cleared; this way
            // it does so where the page is written anyway.
            try database.execute(sql: "PRAGMA secure_delete = FAST")
            try prepare(database)
        }
        Self.makePrivate(path)
        queue = try DatabaseQueue(path: path, configuration: configuration)
        try StateSchema.prepare(queue)
        let reader = try queue.read { try StateReader($0) }
        if reader.skipped > 0 { logger.warning("\(path): \(reader.skipped) unreadable rows were skipped") }
        var writer = StateWriter(ranks: reader.ranks)
        if reader.needsRenumbering || !reader.skippedItems.isEmpty {
            try queue.inTransaction { database in
                for id in reader.skippedItems {
                    try database.execute(
                        sql: "INSERT INTO unreadable SELECT * FROM item WHERE id = ?", arguments: [id])
                    try database.execute(sql: "DELETE FROM item WHERE id = ?", arguments: [id])
                }
                try writer.renumber(reader.saved.items, in: database)
                return .commit
            }
        }
        saved = reader.saved
        ranks = writer.ranks
    }

    /// The file may hold request headers with credentials; the journal takes over its mode. SQLite reports what fails.
    private static func makePrivate(_ path: String) {
        let descriptor = Glibc.open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        if descriptor >= 0 { Glibc.close(descriptor) }
    }

    private static func isDamage(_ error: any Error) -> Bool {
        guard let error = error as? DatabaseError else { return error is StateSchema.Unfit }
        return [.SQLITE_CORRUPT, .SQLITE_NOTADB, .SQLITE_ERROR, .SQLITE_FORMAT, .SQLITE_CONSTRAINT, .SQLITE_MISMATCH]
            .contains(error.resultCode)
    }

    /// The journal goes along under a name by which SQLite still finds it.
    private static func setAside(_ path: String) throws(StateStoreError) -> String {
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
}
