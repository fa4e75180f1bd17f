// SPDX-License-Identifier: Apache-2.0

public import Playback
internal import Synchronization

/// A store that keeps what it is given in memory and can refuse.
public final class MemoryStore: PlayerStore {
    private struct State {
        var saved: SavedPlayer
        var changes: [SavedChange] = []
        var failure: String?
    }

    private let state: Mutex<State>

    public init(_ saved: SavedPlayer = SavedPlayer()) {
        state = Mutex(State(saved: saved))
    }

    /// All that was saved, in order.
    public var changes: [SavedChange] { state.withLock { $0.changes } }

    /// From now on, saving fails with this sentence (nil: works again).
    public func fail(with message: String?) {
        state.withLock { $0.failure = message }
    }

    public func load() -> SavedPlayer { state.withLock { $0.saved } }

    public func save(_ changes: [SavedChange], completion: @escaping @Sendable (_ failure: String?) -> Void) {
        let failure = state.withLock { state in
            if state.failure == nil { state.changes += changes }
            return state.failure
        }
        completion(failure)
    }
}
