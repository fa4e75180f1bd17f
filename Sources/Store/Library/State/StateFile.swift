// SPDX-License-Identifier: Apache-2.0

import GRDB
import Logging
import Playback
import Kernel

/// Opens `state.sqlite`. Sets an unreadable file aside and begins a new one.
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
            return try DamagedFile.opening(path, logger, loss: "starting with an empty state") {
                try StateFile(path: path, logger: logger, prepare: prepare)
            }
        } catch {
            throw .failed(error, path: path)
        }
    }

    private init(path: String, logger: Logger, prepare: @escaping Preparation) throws {
        var configuration = Configuration()
        configuration.label = "state"
        configuration.prepareDatabase { database in
            // No other process uses the file (`DirectoryLock`): commits take no lock, and the journal's index stays in memory.
            try database.execute(
                sql: """
                    PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;
                    PRAGMA journal_size_limit = 4194304
                    """)
            // Debian's SQLite overwrites each page that becomes free, which is slow when a long queue is cleared. FAST overwrites
            // only pages that are written anyway.
            try database.execute(sql: "PRAGMA secure_delete = FAST")
            try prepare(database)
        }
        // The file may contain request headers with credentials.
        DamagedFile.makePrivate(path)
        queue = try DatabaseQueue(path: path, configuration: configuration)
        try StateSchema.prepare(queue)
        FreePages.giveBack(queue)
        let reader = try queue.read { try StateReader($0) }
        if reader.isCut {
            logger.warning("\(path): the queue is larger than \(ByteBudget.queue.megabytes) MB; its end is kept aside")
        }
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
}
