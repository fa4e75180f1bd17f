// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Ends blocking work on a decode thread from any other thread, once and for all.
public final class MediaCancellation: Sendable {
    private struct State {
        var isCancelled = false
        var handler: (@Sendable () -> Void)?
    }

    private let state = Mutex(State())

    public init() {}

    public var isCancelled: Bool { state.withLock { $0.isCancelled } }

    /// Called at most once, from the cancelling thread; at once when already cancelled. A source closes itself in it.
    public func onCancel(_ handler: @escaping @Sendable () -> Void) {
        let callNow = state.withLock { state in
            if !state.isCancelled { state.handler = handler }
            return state.isCancelled
        }
        if callNow { handler() }
    }

    public func cancel() {
        let handler = state.withLock { state in
            state.isCancelled = true
            defer { state.handler = nil }
            return state.handler
        }
        handler?()
    }
}
