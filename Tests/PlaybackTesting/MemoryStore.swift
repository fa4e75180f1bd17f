// SPDX-License-Identifier: Apache-2.0

public import Playback
internal import Synchronization

/// A store in memory that can fail or hang.
public final class MemoryStore: PlayerStore {
    private struct State {
        var saved: SavedPlayer
        var failure: SaveFailure?
        var hangs = false
    }

    private let state: Mutex<State>

    public init(_ saved: SavedPlayer = SavedPlayer()) {
        state = Mutex(State(saved: saved))
    }

    /// Makes saving fail with this sentence; nil: succeed.
    public func fail(with message: String?, isDiskFull: Bool = false) {
        state.withLock { $0.failure = message.map { SaveFailure($0, isDiskFull: isDiskFull) } }
    }

    /// From now on, saves are never answered.
    public func hang() {
        state.withLock { $0.hangs = true }
    }

    public func load() -> SavedPlayer { state.withLock { $0.saved } }

    public func save(_ changes: [SavedChange], completion: @escaping @Sendable (_ failure: SaveFailure?) -> Void) {
        let (failure, hangs) = state.withLock { ($0.failure, $0.hangs) }
        if !hangs { completion(failure) }
    }
}
