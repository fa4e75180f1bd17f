// SPDX-License-Identifier: Apache-2.0

import Playback
import Synchronization

/// A player's saved state, with a name for one that has none, and what the state holds beside it: the store gives what
/// it has loaded only once.
final class NamedStore: PlayerStore {
    private let store: any PlayerStore
    private let player: String
    private let loaded = Mutex<[String: String]>([:])

    init(_ store: any PlayerStore, player: String) {
        self.store = store
        self.player = player
    }

    var notes: [String: String] { loaded.withLock { $0 } }

    func load() -> SavedPlayer {
        var saved = store.load()
        loaded.withLock { $0 = saved.notes }
        // A state from before names, or one that was set aside.
        if saved.settings.name.isEmpty { saved.settings.name = player }
        return saved
    }

    func save(_ changes: [SavedChange], completion: @escaping @Sendable (_ failure: String?) -> Void) {
        store.save(changes, completion: completion)
    }
}
