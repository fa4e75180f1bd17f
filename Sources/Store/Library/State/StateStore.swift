// SPDX-License-Identifier: Apache-2.0

public import Logging
public import Playback
import Synchronization
import Kernel

/// The player's state in `state.sqlite` of a data directory: usable from any thread, written by a thread of its own.
public final class StateStore: PlayerStore {
    private let mailbox = Mailbox<StateWriterThread.Message>()
    private let thread: NamedThread
    private let loaded: Mutex<SavedPlayer?>
    private let isClosed = Mutex(false)

    /// Opens the state, blocking; a damaged one is set aside and a new one begun. `mayMove`: changes are also saved after the
    /// directory was moved, as that of a player that is removed.
    public convenience init(directory: String, logger: Logger, mayMove: Bool = false) throws(StateStoreError) {
        try self.init(directory: directory, logger: logger, mayMove: mayMove, prepare: { _ in })
    }

    init(
        directory: String, logger: Logger, mayMove: Bool = false, prepare: @escaping StateFile.Preparation
    ) throws(StateStoreError) {
        try DataDirectory.make(directory)
        let lock = try DirectoryLock(directory: directory)
        let file = try StateFile.open(directory: directory, logger: logger, prepare: prepare)
        loaded = Mutex(file.saved)
        let (queue, ranks, mailbox) = (file.queue, file.ranks, mailbox)
        thread = NamedThread("state-store") {
            var loop = StateWriterThread(queue: queue, lock: lock, ranks: ranks, mayMove: mayMove, logger: logger)
            loop.run(mailbox)
        }
    }

    deinit { close() }

    /// For a disk that hangs: the start waits no longer for the mark of the item that is opened.
    private static let longestMarking = 0.5

    /// A second call gives an empty state: it is not kept in memory.
    public func load() -> SavedPlayer {
        let saved = loaded.withLock { saved in
            defer { saved = nil }
            return saved ?? SavedPlayer()
        }
        if let first = saved.first, first != saved.unopened {
            let marked = Mailbox<Void>()
            save([.opening(first)]) { _ in marked.post(()) }
            _ = marked.take(until: .now.advanced(bySeconds: Self.longestMarking))
        }
        return saved
    }

    public func save(_ changes: [SavedChange], completion: @escaping @Sendable (_ failure: SaveFailure?) -> Void) {
        let accepted = isClosed.withLock { isClosed in
            if !isClosed { mailbox.post(.save(changes, completion)) }
            return !isClosed
        }
        if !accepted { completion(SaveFailure("the state is closed")) }
    }

    /// Blocks until everything is saved that was given before, at most 5 s. False when something could not be since the
    /// last flush.
    @discardableResult
    public func flush() -> Bool {
        let answer = Mailbox<Bool>()
        let accepted = isClosed.withLock { isClosed in
            if !isClosed { mailbox.post(.flush(answer)) }
            return !isClosed
        }
        return accepted && answer.take(until: .now.advanced(bySeconds: 5)).last == true
    }

    /// Saves what is left, closes the file and lets go of the directory; a disk that hangs is waited for `seconds`. Later
    /// saves fail.
    /// - Returns: whether nothing touches the files any more.
    @discardableResult
    public func close(within seconds: Double = 1) -> Bool {
        let isFirst = isClosed.withLock { isClosed in
            defer { isClosed = true }
            return !isClosed
        }
        guard isFirst else { return true }
        mailbox.post(.close)
        // Left to itself after that, it ends with the process; what it has committed is safe.
        return thread.join(within: seconds)
    }
}
