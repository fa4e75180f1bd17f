// SPDX-License-Identifier: Apache-2.0

public import Playback
internal import Synchronization

/// A store that keeps what it is given in memory, and can refuse or hang.
public final class MemoryStore: PlayerStore {
    private struct State {
        var saved: SavedPlayer
        var changes: [SavedChange] = []
        var failure: SaveFailure?
        var hangs = false
    }

    private let state: Mutex<State>

    public init(_ saved: SavedPlayer = SavedPlayer()) {
        state = Mutex(State(saved: saved))
    }

    /// All that was saved, in order.
    public var changes: [SavedChange] { state.withLock { $0.changes } }

    /// From now on, saving fails with this sentence (nil: works again).
    public func fail(with message: String?, isDiskFull: Bool = false) {
        state.withLock { $0.failure = message.map { SaveFailure($0, isDiskFull: isDiskFull) } }
    }

    /// From now on, what is to be saved gets no answer, ever.
    public func hang() {
        state.withLock { $0.hangs = true }
    }

    public func load() -> SavedPlayer { state.withLock { $0.saved } }

    public func save(_ changes: [SavedChange], completion: @escaping @Sendable (_ failure: SaveFailure?) -> Void) {
        let (failure, hangs) = state.withLock { state in
            if state.failure == nil, !state.hangs { state.changes += changes }
            return (state.failure, state.hangs)
        }
        if !hangs { completion(failure) }
    }
}
