// SPDX-License-Identifier: Apache-2.0

import Foundation
import KernelTesting
import Logging
import Synchronization

@testable import Store
@testable import Playback

/// A data directory of its own, removed with it.
final class StateFixture: Sendable {
    private let folder: TemporaryFolder
    var directory: String { folder.path }

    init() throws { folder = try TemporaryFolder() }

    var path: String { directory + "/state.sqlite" }
    var files: [String] { get throws { try FileManager.default.contentsOfDirectory(atPath: directory).sorted() } }

    func store() throws -> StateStore {
        try StateStore(directory: directory, logger: Logger(label: "test"))
    }
}

/// A queue whose changes go to a store, as the player's do.
struct SavedQueue {
    var queue = Queue()
    var random = SeededGenerator(seed: 1)
    let store: StateStore

    /// Returns the completion's answer later through `answers`.
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
