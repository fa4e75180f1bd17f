// SPDX-License-Identifier: Apache-2.0

public import Playback
internal import Synchronization

/// A store in memory that can fail or hang.
public final class MemoryStore: PlayerStore {
    private struct State {
        var saved: SavedPlayer
        var failure: SaveFailure?
        var failsOnlyQueues = false
        var hangs = false
        var saves: [[SavedChange]] = []
    }

    private let state: Mutex<State>

    public init(_ saved: SavedPlayer = SavedPlayer()) {
        state = Mutex(State(saved: saved))
    }

    /// Makes saving fail with this sentence; nil: succeed. `onlyQueues`: other changes are saved.
    public func fail(with message: String?, isDiskFull: Bool = false, onlyQueues: Bool = false) {
        state.withLock { state in
            state.failure = message.map { SaveFailure($0, isDiskFull: isDiskFull) }
            state.failsOnlyQueues = onlyQueues
        }
    }

    /// From now on, saves are never answered.
    public func hang() {
        state.withLock { $0.hangs = true }
    }

    /// The saves that have succeeded.
    public var saves: [[SavedChange]] { state.withLock { $0.saves } }

    public func load() -> SavedPlayer { state.withLock { $0.saved } }

    public func save(_ changes: [SavedChange], completion: @escaping @Sendable (_ failure: SaveFailure?) -> Void) {
        let changesQueue = changes.contains { if case .queue = $0 { true } else { false } }
        let (failure, hangs) = state.withLock { state -> (SaveFailure?, Bool) in
            let failure = state.failsOnlyQueues && !changesQueue ? nil : state.failure
            if failure == nil, !state.hangs { state.saves.append(changes) }
            return (failure, state.hangs)
        }
        if !hangs { completion(failure) }
    }
}
