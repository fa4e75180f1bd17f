// SPDX-License-Identifier: Apache-2.0

import GRDB
import GRDBSQLite
import Kernel
import Logging
import Playback

/// The loop behind `StateStore`; lives on one thread. All that has piled up goes into one transaction; what cannot be
/// saved is reported and forgotten.
struct StateWriterThread {
    typealias Completion = @Sendable (_ failure: SaveFailure?) -> Void

    enum Message: Sendable {
        case save([SavedChange], Completion)
        case flush(Mailbox<Bool>)
        case close
    }

    private let queue: DatabaseQueue
    /// Held until the file is closed.
    private let lock: DirectoryLock
    private let mayMove: Bool
    private let logger: Logger
    /// 4 MB: then the journal's pages go into the file proper.
    private static let journalPages: Int32 = 1000
    private let journal = JournalLength()
    private var writer: StateWriter
    private var isInTrouble = false
    /// Since the last flush.
    private var hasFailed = false
    /// A transaction failed on its way: `writer` has changes that the file has not.
    private var isAhead = false

    init(queue: DatabaseQueue, lock: DirectoryLock, ranks: Ranks, mayMove: Bool, logger: Logger) {
        self.queue = queue
        self.lock = lock
        self.mayMove = mayMove
        self.logger = logger
        writer = StateWriter(ranks: ranks)
    }

    mutating func run(_ mailbox: Mailbox<Message>) {
        // One access for the whole run: an access of its own would cost a small change a tenth of its time.
        queue.writeWithoutTransaction { serve(mailbox, $0) }
        do {
            try queue.close()
        } catch {
            logger.error("the state could not be closed: \(error)")
        }
        // Never released. What GRDB ties to a dispatch queue is freed on another one, the first to start libdispatch's
        // threads, and a timer of theirs would wake the process each second from then on.
        _ = Unmanaged.passRetained(queue)
    }

    private mutating func serve(_ mailbox: Mailbox<Message>, _ database: Database) {
        journal.follow(database)
        beginJournal(database)
        var isOpen = true
        while isOpen {
            var batch: [(changes: [SavedChange], completion: Completion)] = []
            for message in mailbox.take(until: nil) {
                switch message {
                case .save(let changes, let completion): batch.append((changes, completion))
                case .flush(let answer):
                    save(&batch, database)
                    answer.post(!hasFailed)
                    hasFailed = false
                case .close:
                    save(&batch, database)
                    isOpen = false
                }
            }
            save(&batch, database)
            checkpoint(database)
        }
    }

    private mutating func save(
        _ batch: inout [(changes: [SavedChange], completion: Completion)], _ database: Database
    ) {
        defer { batch = [] }
        guard !batch.isEmpty else { return }
        do {
            try commit(Self.condensed(batch.flatMap(\.changes)), database)
            if isInTrouble { logger.notice("the state can be saved again") }
            isInTrouble = false
            for entry in batch { entry.completion(nil) }
        } catch {
            // One that cannot be saved takes no other with it.
            if batch.count > 1 {
                for entry in batch {
                    var single = [entry]
                    save(&single, database)
                }
                return
            }
            if !isInTrouble { logger.error("the state cannot be saved: \(error)") }
            isInTrouble = true
            hasFailed = true
            let failure = SaveFailure(
                "the state could not be saved: \(Self.reason(error))", isDiskFull: error.isDiskFull)
            for entry in batch { entry.completion(failure) }
        }
    }

    private mutating func commit(_ changes: [SavedChange], _ database: Database) throws {
        // Changed in place, and read again after a failure: a copy would cost as much as the queue is long.
        do {
            // As `inTransaction`, which parses both statements each time.
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

    /// SQLite would do it within the commit, before the answer: this writes everything once more and waits for the disk.
    private mutating func checkpoint(_ database: Database) {
        guard journal.pages >= Self.journalPages else { return }
        do {
            _ = try database.checkpoint(.passive)
            journal.pages = 0
            beginJournal(database)
        } catch {
            // What was committed is safe; it is tried again behind the next commit.
            logger.warning("the state's journal could not be emptied: \(error)")
        }
    }

    /// The first commit to an empty journal waits for the disk, which may take tens of milliseconds: better this one,
    /// which changes nothing, than a command's.
    private func beginJournal(_ database: Database) {
        do {
            try database.execute(sql: "PRAGMA user_version = 1")
        } catch {
            // A full disk, for instance: the next save gets the error.
            logger.debug("the state's journal could not be begun: \(error)")
        }
    }

    /// Only the last settings, position and note of each name, and nothing of the queue from before it was replaced.
    static func condensed(_ changes: [SavedChange]) -> [SavedChange] {
        var kept: [SavedChange] = []
        var seen = (settings: false, position: false, queue: false, opening: false)
        var notes: Set<String> = []
        for change in changes.reversed() {
            switch change {
            case .note(let name, _) where notes.insert(name).inserted: kept.append(change)
            case .settings where !seen.settings:
                seen.settings = true
                kept.append(change)
            case .opening where !seen.opening, .opened where !seen.opening:
                seen.opening = true
                kept.append(change)
            case .position where !seen.position:
                seen.position = true
                kept.append(change)
            case .queue(let queueChange, _, _) where !seen.queue:
                if case .replaced = queueChange { seen.queue = true }
                kept.append(change)
            default: break
            }
        }
        return kept.reversed()
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

/// How many pages wait in the journal, as SQLite reports at each commit of one connection. On the state thread.
final class JournalLength {
    var pages: Int32 = 0

    /// Takes the place of SQLite's own checkpoints (`wal_autocheckpoint`). Must live as long as the connection commits.
    func follow(_ database: Database) {
        sqlite3_wal_hook(
            database.sqliteConnection,
            { context, _, _, pages in
                if let context { Unmanaged<JournalLength>.fromOpaque(context).takeUnretainedValue().pages = pages }
                return SQLITE_OK
            }, Unmanaged.passUnretained(self).toOpaque())
    }
}
