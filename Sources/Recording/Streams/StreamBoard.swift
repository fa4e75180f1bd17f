// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// The state of all players' recordings as others read it, and who hears of it.
final class StreamBoard: Sendable {
    private struct State {
        var players: [String: StreamRecordingStatus] = [:]
        var observer: StreamRecorder.Observer = { _, _ in }
    }

    private let state = Mutex(State())

    func status(of player: String) -> StreamRecordingStatus {
        state.withLock { $0.players[player] ?? StreamRecordingStatus() }
    }

    func isMaking(_ id: String) -> Bool {
        state.withLock { $0.players.values.contains { $0.current?.id == id } }
    }

    func observe(_ observer: @escaping StreamRecorder.Observer) {
        state.withLock { $0.observer = observer }
    }

    /// Bytes that grow are no event.
    func publish(_ status: StreamRecordingStatus, of player: String, isEvent: Bool) {
        let observer = state.withLock { state in
            state.players[player] = status
            return state.observer
        }
        if isEvent { observer(player, status) }
    }

    func forget(_ player: String) {
        _ = state.withLock { $0.players.removeValue(forKey: player) }
    }
}
