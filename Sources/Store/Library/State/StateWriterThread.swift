// SPDX-License-Identifier: Apache-2.0

import GRDB
import GRDBSQLite
import Kernel
import Logging
import Playback

/// The loop of `StateStore`'s thread. Commits all waiting changes in one transaction; reports and drops changes that cannot be saved.
struct StateWriterThread {
    typealias Completion = @Sendable (_ failure: SaveFailure?) -> Void

    enum Message: Sendable {
        case save([SavedChange], Completion)
        case close
    }

    private let queue: DatabaseQueue
    /// Held until the file is closed.
    private let lock: DirectoryLock
    private let mayMove: Bool
    private let logger: Logger
    /// 4 MB. A longer journal is checkpointed.
    private static let journalPages: Int32 = 1000
    private let journal = JournalLength()
    private var writer: StateWriter
    private var isInTrouble = false
    /// A transaction has failed: `writer` is ahead of the file.
    private var isAhead = false

    init(queue: DatabaseQueue, lock: DirectoryLock, ranks: Ranks, mayMove: Bool, logger: Logger) {
        self.queue = queue
        self.lock = lock
        self.mayMove = mayMove
        self.logger = logger
        writer = StateWriter(ranks: ranks)
    }

    mutating func run(_ mailbox: Mailbox<Message>) {
        // One access for the whole run, as each one costs a tenth of a small change.
        queue.writeWithoutTransaction { serve(mailbox, $0) }
        do {
            try queue.close()
        } catch {
            logger.error("the state could not be closed: \(error)")
        }
        // Never released: GRDB would free it on a dispatch queue, which starts libdispatch's threads, whose timer then wakes the
        // process every second.
        _ = Unmanaged.passRetained(queue)
    }

    private mutating func serve(_ mailbox: Mailbox<Message>, _ database: Database) {
        journal.follow(database)
        beginJournal(database)
        while handle(mailbox.take(until: nil), database) {}
        // Messages that were posted meanwhile.
        _ = handle(mailbox.close(), database)
    }

    /// Returns false after `close`.
    private mutating func handle(_ messages: [Message], _ database: Database) -> Bool {
        var isOpen = true
        var batch: [(changes: [SavedChange], completion: Completion)] = []
        for message in messages {
            switch message {
            case .save(let changes, let completion): batch.append((changes, completion))
            case .close: isOpen = false
            }
        }
        save(batch, database)
        checkpoint(database)
        return isOpen
    }

    private mutating func save(_ batch: [(changes: [SavedChange], completion: Completion)], _ database: Database) {
        guard !batch.isEmpty else { return }
        do {
            try commit(batch.flatMap(\.changes), database)
            if isInTrouble { logger.notice("the state can be saved again") }
            isInTrouble = false
            for entry in batch { entry.completion(nil) }
        } catch {
            // Save each change by itself, so that a bad one affects no other.
            if batch.count > 1 {
                for entry in batch { save([entry], database) }
                return
            }
            if !isInTrouble { logger.error("the state cannot be saved: \(error)") }
            isInTrouble = true
            let failure = SaveFailure(
                "the state could not be saved: \(Self.reason(error))", isDiskFull: error.isDiskFull)
            for entry in batch { entry.completion(failure) }
        }
    }

    private mutating func commit(_ changes: [SavedChange], _ database: Database) throws {
        // `writer` changes in place and is read again after a failure: a copy would cost time in proportion to the queue.
        do {
            // Like `inTransaction`, which parses both statements each time.
            try database.cachedStatement(sql: "BEGIN IMMEDIATE TRANSACTION").execute()
            do {
                if isAhead {
                    writer = StateWriter(ranks: try StateReader.ranks(database))
                    isAhead = false
                }
                try writer.write(changes, to: database)
                if !mayMove { try database.requireUnmoved() }
                try database.cachedStatement(sql: "COMMIT TRANSACTION").execute()
            } catch {
                let cause = database.cause(of: error)
                try database.rollback()
                throw cause
            }
        } catch {
            isAhead = true
            throw error
        }
    }

    /// Runs after the answers, because it writes all pages again and waits for the disk. SQLite's own checkpoints run within a commit.
    private mutating func checkpoint(_ database: Database) {
        guard journal.pages >= Self.journalPages else { return }
        do {
            _ = try database.checkpoint(.passive)
            journal.pages = 0
            beginJournal(database)
        } catch {
            // All commits are safe. The next commit tries again.
            logger.warning("the state's journal could not be emptied: \(error)")
        }
    }

    /// Makes an empty commit. The first commit to an empty journal waits for the disk, perhaps tens of milliseconds; this spares
    /// the next command that wait.
    private func beginJournal(_ database: Database) {
        do {
            try database.execute(sql: "PRAGMA user_version = 1")
        } catch {
            // A full disk, for example. The next save reports the error.
            logger.debug("the state's journal could not be begun: \(error)")
        }
    }

    private static func reason(_ error: any Error) -> String {
        guard let error = error as? DatabaseError else { return "\(error)" }
        switch error.resultCode {
        case .SQLITE_FULL: return "the disk is full"
        case .SQLITE_READONLY: return "the disk is read-only"
        case .SQLITE_IOERR: return "the disk cannot be written (\(error.message ?? "I/O error"))"
        default: return error.message ?? "\(error)"
        }
    }
}

/// The number of pages in the journal, which SQLite reports at each commit. Belongs to the state thread.
final class JournalLength {
    var pages: Int32 = 0

    /// Replaces SQLite's automatic checkpoints (`wal_autocheckpoint`). `self` must outlive the connection's commits.
    func follow(_ database: Database) {
        sqlite3_wal_hook(
            database.sqliteConnection,
            { context, _, _, pages in
                if let context { Unmanaged<JournalLength>.fromOpaque(context).takeUnretainedValue().pages = pages }
                return SQLITE_OK
            }, Unmanaged.passUnretained(self).toOpaque())
    }
}
