// SPDX-License-Identifier: Apache-2.0

public import Logging
public import Playback
import Synchronization
import Kernel

/// The player's state in `state.sqlite` of a data directory. Any thread may use it; a thread of its own writes.
public final class StateStore: PlayerStore {
    private let mailbox = Mailbox<StateWriterThread.Message>()
    private let thread: NamedThread
    private let loaded: Mutex<SavedPlayer?>
    /// The notes at the start.
    public let notes: [String: String]
    private let isClosed = Atomic(false)

    /// Opens the state; blocks. Sets a damaged state aside and begins a new one. `beginning`: for a state without a name. `mayMove`:
    /// changes are saved even after the directory was moved, as happens when a player is removed.
    public convenience init(
        directory: String, logger: Logger, beginning: PlayerDirectories.Beginning? = nil, mayMove: Bool = false
    ) throws(StateStoreError) {
        try self.init(
            directory: directory, logger: logger, beginning: beginning, mayMove: mayMove, prepare: { _ in })
    }

    init(
        directory: String, logger: Logger, beginning: PlayerDirectories.Beginning? = nil, mayMove: Bool = false,
        prepare: @escaping StateFile.Preparation
    ) throws(StateStoreError) {
        try DataDirectory.make(directory)
        let lock = try DirectoryLock(directory: directory)
        let file = try StateFile.open(directory: directory, logger: logger, prepare: prepare)
        var saved = file.saved
        notes = saved.notes
        // The state is new or was set aside, or its settings predate names.
        if let beginning, saved.settings.name.isEmpty {
            saved.settings.name = beginning.name
            saved.settings.outputDevice = saved.settings.outputDevice ?? beginning.output
        }
        loaded = Mutex(saved)
        let (queue, ranks, mailbox) = (file.queue, file.ranks, mailbox)
        thread = NamedThread("state-store") {
            var loop = StateWriterThread(queue: queue, lock: lock, ranks: ranks, mayMove: mayMove, logger: logger)
            loop.run(mailbox)
        }
    }

    deinit { close() }

    /// Seconds that the start waits for a disk that hangs.
    private static let longestMarking = 0.5

    /// Returns the state, and marks its first item as being opened. A second call returns an empty state.
    public func load() -> SavedPlayer {
        let saved = loaded.withLock { $0.take() } ?? SavedPlayer()
        if let first = saved.first, first != saved.unopened {
            let marked = Mailbox<Void>()
            save([.opening(first)]) { _ in marked.post(()) }
            _ = marked.take(until: .now.advanced(bySeconds: Self.longestMarking))
        }
        return saved
    }

    public func save(_ changes: [SavedChange], completion: @escaping @Sendable (_ failure: SaveFailure?) -> Void) {
        let isTaken = !isClosed.load(ordering: .acquiring) && mailbox.post(.save(changes, completion))
        if !isTaken { completion(SaveFailure("the state is closed")) }
    }

    /// Saves the remaining changes, closes the file and unlocks the directory. Waits at most `seconds` for a disk that hangs.
    /// Later saves fail.
    /// - Returns: whether the files are closed.
    @discardableResult
    public func close(within seconds: Double = 1) -> Bool {
        guard !isClosed.exchange(true, ordering: .acquiringAndReleasing) else { return true }
        mailbox.post(.close)
        // A thread that hangs ends with the process. Its commits are safe.
        return thread.join(within: seconds)
    }
}
