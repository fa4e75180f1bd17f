// SPDX-License-Identifier: Apache-2.0

import GRDB
import Logging
import Playback
import Threading

/// The loop behind `StateStore`; lives on one thread. All that has piled up goes into one transaction.
struct StateWriterThread {
    typealias Completion = @Sendable (_ failure: String?) -> Void

    enum Message: Sendable {
        case save([SavedChange], Completion)
        case flush(Mailbox<Bool>)
        case close
    }

    private let queue: DatabaseQueue
    /// Held until the file is closed.
    private let lock: DirectoryLock
    private let logger: Logger
    private var writer: StateWriter
    /// What the disk refused so far, to be written before anything newer. The player was told and goes on with it.
    private var refused: [SavedChange] = []

    init(queue: DatabaseQueue, lock: DirectoryLock, ranks: Ranks, logger: Logger) {
        self.queue = queue
        self.lock = lock
        self.logger = logger
        writer = StateWriter(ranks: ranks)
    }

    mutating func run(_ mailbox: Mailbox<Message>) {
        var isOpen = true
        while isOpen {
            var batch: [(changes: [SavedChange], completion: Completion)] = []
            for message in mailbox.take(until: nil) {
                switch message {
                case .save(let changes, let completion): batch.append((changes, completion))
                case .flush(let answer):
                    save(&batch)
                    answer.post(refused.isEmpty)
                case .close:
                    save(&batch)
                    isOpen = false
                }
            }
            save(&batch)
        }
        do {
            try queue.close()
        } catch {
            logger.error("the state could not be closed: \(error)")
        }
    }

    private mutating func save(_ batch: inout [(changes: [SavedChange], completion: Completion)]) {
        defer { batch = [] }
        guard !batch.isEmpty || !refused.isEmpty else { return }
        do {
            try commit(Self.condensed(refused + batch.flatMap(\.changes)))
            if !refused.isEmpty { logger.notice("the state can be saved again") }
            refused = []
            for entry in batch { entry.completion(nil) }
        } catch let error as InconsistentChange {
            logger.error("a change does not fit the saved state: \(error)")
            guard batch.count > 1 || !refused.isEmpty else {
                for entry in batch { entry.completion("the state could not be saved: \(error)") }
                return
            }
            saveOneByOne(batch)
        } catch {
            if refused.isEmpty { logger.error("the state cannot be saved: \(error)") }
            refused = Self.condensed(refused + batch.flatMap(\.changes))
            for entry in batch { entry.completion("the state could not be saved: \(Self.reason(error))") }
        }
    }

    /// So that one change that does not fit takes no other with it.
    private mutating func saveOneByOne(_ batch: [(changes: [SavedChange], completion: Completion)]) {
        let old = refused
        refused = []
        for change in old {
            var single: [(changes: [SavedChange], completion: Completion)] = [([change], { _ in })]
            save(&single)
        }
        for entry in batch {
            var single = [entry]
            save(&single)
        }
    }

    private mutating func commit(_ changes: [SavedChange]) throws {
        var next = writer
        try queue.inTransaction { database in
            try next.write(changes, to: database)
            return .commit
        }
        writer = next
    }

    /// Only the last settings and position, and nothing of the queue from before it was replaced.
    static func condensed(_ changes: [SavedChange]) -> [SavedChange] {
        var kept: [SavedChange] = []
        var seen = (settings: false, position: false, queue: false)
        for change in changes.reversed() {
            switch change {
            case .settings where !seen.settings:
                seen.settings = true
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
        default: return error.message ?? "\(error)"
        }
    }
}
