// SPDX-License-Identifier: Apache-2.0

import Logging
import Playback
import RemoteAPI
import Service
import Store
import Synchronization

/// The players' states on disk: main's in the data directory, each other player's in a directory below it.
struct StateKeeper: PlayerKeeper {
    let main: NamedStore
    private let state: StateStore
    private let directories: PlayerDirectories
    private let log: Logger

    init(main state: StateStore, data: String, log: Logger) {
        self.state = state
        self.log = log
        main = NamedStore(state, PlayerDirectories.Beginning(name: HostedPlayer.main))
        directories = PlayerDirectories(data: data, logger: log)
    }

    func players() -> [String] { directories.recover { $0 != HostedPlayer.main && PlayerPath.isID($0) } }

    func create(_ id: String, name: String, output: String?) throws(SaveFailure) {
        try Self.kept { () throws(StateStoreError) in
            try directories.create(id, PlayerDirectories.Beginning(name: name, output: output))
        }
    }

    func open(_ id: String) throws(SaveFailure) -> Service.PlayerState {
        if id == HostedPlayer.main { return Service.PlayerState(main, notes: main.notes) { [state] in state.close() } }
        return try Self.kept { () throws(StateStoreError) in
            let store = try StateStore(directory: directories.path(id), logger: log, mayMove: true)
            let beginning = directories.beginning(of: id) ?? PlayerDirectories.Beginning(name: id)
            let named = NamedStore(store, beginning)
            return Service.PlayerState(named, notes: named.notes) { store.close() }
        }
    }

    func remove(_ id: String) throws(SaveFailure) -> @Sendable () -> Void {
        let files = try Self.kept { () throws(StateStoreError) in try directories.remove(id) }
        return { [directories] in directories.clear(files) }
    }

    private static func kept<Value>(_ job: () throws(StateStoreError) -> Value) throws(SaveFailure) -> Value {
        do throws(StateStoreError) {
            return try job()
        } catch {
            throw SaveFailure("\(error)", isDiskFull: error.isDiskFull)
        }
    }
}

/// A player's saved state and its notes. Provides a name for a state without one.
final class NamedStore: PlayerStore {
    let notes: [String: String]
    private let store: any PlayerStore
    private let loaded: Mutex<SavedPlayer?>

    /// Loads the state; blocks.
    init(_ store: any PlayerStore, _ beginning: PlayerDirectories.Beginning) {
        self.store = store
        var saved = store.load()
        notes = saved.notes
        // The state is new or was set aside, or its settings predate names.
        if saved.settings.name.isEmpty {
            saved.settings.name = beginning.name
            saved.settings.outputDevice = saved.settings.outputDevice ?? beginning.output
        }
        loaded = Mutex(saved)
    }

    /// Returns the state once; the player keeps it from then on.
    func load() -> SavedPlayer { loaded.withLock { $0.take() } ?? SavedPlayer() }

    func save(_ changes: [SavedChange], completion: @escaping @Sendable (_ failure: SaveFailure?) -> Void) {
        store.save(changes, completion: completion)
    }
}
