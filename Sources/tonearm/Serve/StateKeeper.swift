// SPDX-License-Identifier: Apache-2.0

import Logging
import Playback
import RemoteAPI
import Service
import Store

/// The players' states on disk: main's in the data directory, each other player's in a directory below it.
struct StateKeeper: PlayerKeeper {
    let main: StateStore
    private let directories: PlayerDirectories
    private let log: Logger

    init(main: StateStore, data: String, log: Logger) {
        self.main = main
        self.log = log
        directories = PlayerDirectories(data: data, logger: log)
    }

    func players() -> [String] { directories.recover { $0 != HostedPlayer.main && PlayerPath.isID($0) } }

    func create(_ id: String, name: String, output: String?) throws(SaveFailure) {
        try Self.kept { () throws(StateStoreError) in
            try directories.create(id, PlayerDirectories.Beginning(name: name, output: output))
        }
    }

    func open(_ id: String) throws(SaveFailure) -> Service.PlayerState {
        if id == HostedPlayer.main { return Service.PlayerState(main, notes: main.notes) { [main] in main.close() } }
        return try Self.kept { () throws(StateStoreError) in
            let beginning = directories.beginning(of: id) ?? PlayerDirectories.Beginning(name: id)
            let store = try StateStore(
                directory: directories.path(id), logger: log, beginning: beginning, mayMove: true)
            return Service.PlayerState(store, notes: store.notes) { store.close() }
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
