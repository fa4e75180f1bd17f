// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRDBSQLite
import Kernel
import KernelTesting
import Logging
import Synchronization
import Testing

@testable import Store
@testable import Playback

/// A data directory that is removed with its owner.
final class StateFixture: Sendable {
    private let folder: TemporaryFolder
    var directory: String { folder.path }

    init() throws { folder = try TemporaryFolder() }

    var path: String { directory + "/state.sqlite" }
    var files: [String] { get throws { try FileManager.default.contentsOfDirectory(atPath: directory).sorted() } }

    func store() throws -> StateStore { try StateStore(directory: directory, logger: Logger(label: "test")) }

    /// Returns the state that the next start loads.
    func reloaded() throws -> SavedPlayer { try store().load() }
}

extension StateStore {
    /// Blocks until all earlier changes are answered, at most 5 s. False if the store can save nothing at present.
    @discardableResult
    func flush() -> Bool {
        let answer = Mailbox<Bool>()
        save([]) { answer.post($0 == nil) }
        return answer.take(until: .now.advanced(bySeconds: 5)).last == true
    }
}

/// A queue whose changes go to a store, as the player's do.
struct SavedQueue {
    var queue = Queue()
    var random = SeededGenerator(seed: 1)
    let store: StateStore

    /// `answers` collects the result of the save.
    mutating func apply(_ edit: QueueEdit, answers: Answers? = nil) throws {
        guard let proposal = try queue.propose(edit, using: &random) else { return }
        queue.commit(proposal)
        let saved = SavedChange.queue(
            proposal.change, revision: queue.revision, nextItemNumber: queue.nextItemNumber)
        store.save([saved]) { answers?.add($0) }
    }

    var items: [QueueItem] { queue.window(offset: 0, limit: .max).items }
}

final class Answers: Sendable {
    private let failures = Mutex<[SaveFailure?]>([])
    func add(_ failure: SaveFailure?) { failures.withLock { $0.append(failure) } }
    var all: [SaveFailure?] { failures.withLock { $0 } }
}

func drafts(_ letters: String) -> [ItemDraft] { letters.map { ItemDraft(uri: String($0)) } }

func describe(_ items: [QueueItem]) -> [String] { items.map { "\($0.id) \($0.draft)" } }

/// Simulates an exhausted disk quota for one file: SQLite's writes to it fail with EDQUOT.
enum UsedUpQuota {
    private static let file = Mutex<(device: dev_t, inode: ino_t)?>(nil)
    private typealias Write = @convention(c) (Int32, UnsafeRawPointer?, Int, off_t) -> Int

    /// Supports one file at a time.
    static func with(_ path: String, _ body: () throws -> Void) throws {
        var status = stat()
        try #require(stat(path, &status) == 0)
        let vfs = try #require(sqlite3_vfs_find(nil))
        file.withLock { $0 = (status.st_dev, status.st_ino) }
        defer { file.withLock { $0 = nil } }
        let write: Write = { descriptor, bytes, count, offset in
            var status = stat()
            let isFull = UsedUpQuota.file.withLock { file in
                file.map { fstat(descriptor, &status) == 0 && $0 == (status.st_dev, status.st_ino) } ?? false
            }
            guard isFull else { return pwrite(descriptor, bytes, count, offset) }
            errno = EDQUOT
            return -1
        }
        let call = unsafeBitCast(write, to: sqlite3_syscall_ptr.self)
        for name in ["pwrite", "pwrite64"] { _ = vfs.pointee.xSetSystemCall(vfs, name, call) }
        try body()
    }
}
