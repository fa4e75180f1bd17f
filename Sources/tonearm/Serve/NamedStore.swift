// SPDX-License-Identifier: Apache-2.0

import Library
import Playback
import Synchronization

/// A player's saved state, with a name for one that has none, and what the state holds beside it: the store gives what
/// it has loaded only once.
final class NamedStore: PlayerStore {
    private let store: any PlayerStore
    private let beginning: PlayerDirectories.Beginning
    private let loaded = Mutex<[String: String]>([:])

    init(_ store: any PlayerStore, _ beginning: PlayerDirectories.Beginning) {
        self.store = store
        self.beginning = beginning
    }

    var notes: [String: String] { loaded.withLock { $0 } }

    func load() -> SavedPlayer {
        var saved = store.load()
        loaded.withLock { $0 = saved.notes }
        // No settings were saved yet, or they are from before names, or the state was set aside.
        if saved.settings.name.isEmpty {
            saved.settings.name = beginning.name
            saved.settings.outputDevice = saved.settings.outputDevice ?? beginning.output
        }
        return saved
    }

    func save(_ changes: [SavedChange], completion: @escaping @Sendable (_ failure: String?) -> Void) {
        store.save(changes, completion: completion)
    }
}
