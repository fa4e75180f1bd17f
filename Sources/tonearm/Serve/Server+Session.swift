// SPDX-License-Identifier: Apache-2.0

import Logging
import Logind
import Playback
import Session
import Synchronization

extension Server {
    static func session(
        _ player: Player, _ output: any AudioOutput, _ store: StoredNotes, _ configuration: ServerConfiguration
    ) -> LiveSession {
        LiveSession(
            LiveSession.Environment(
                store: store, neighbours: output as? any NeighbourWatch,
                interruptsOthers: configuration.interruptsOthers, notes: store.notes
            ) { command, done in
                player.perform(command) { _ in done() }
            })
    }
}

extension Server {
    /// nil where there is no system bus, or it is not to be listened to.
    static func logind(_ configuration: ServerConfiguration, _ session: LiveSession, _ log: Logger) -> LogindService? {
        guard configuration.followsLogind, LogindService.isPossible else { return nil }
        return LogindService(session, log: log)
    }
}

/// The state's store, which gives what it has loaded only once: keeps the part that is not the player's.
final class StoredNotes: PlayerStore {
    private let store: any PlayerStore
    private let loaded = Mutex<[String: String]>([:])

    init(_ store: any PlayerStore) { self.store = store }

    var notes: [String: String] { loaded.withLock { $0 } }

    func load() -> SavedPlayer {
        let saved = store.load()
        loaded.withLock { $0 = saved.notes }
        return saved
    }

    func save(_ changes: [SavedChange], completion: @escaping @Sendable (_ failure: String?) -> Void) {
        store.save(changes, completion: completion)
    }
}
