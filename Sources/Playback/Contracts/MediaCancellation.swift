// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Ends blocking work on a decode thread from any other thread: once and for all, or only what it waits for now.
public final class MediaCancellation: Sendable {
    private struct State {
        var isCancelled = false
        var handler: (@Sendable () -> Void)?
        var interruption: (@Sendable (Bool) -> Void)?
        /// For each of several media that are read by the same thread.
        var parts: [MediaCancellation] = []
        var isInterruptible = false
        var isInterrupted = false
    }

    private let state = Mutex(State())

    public init() {}

    public var isCancelled: Bool { state.withLock { $0.isCancelled } }

    /// Whether the decode thread is to stop what it does: for work that waits for nothing.
    var wantsReturn: Bool { state.withLock { $0.isCancelled || $0.isInterrupted } }

    /// Called at most once, from the cancelling thread; at once when already cancelled. A source closes itself in it.
    public func onCancel(_ handler: @escaping @Sendable () -> Void) {
        let callNow = state.withLock { state in
            if !state.isCancelled { state.handler = handler }
            return state.isCancelled
        }
        if callNow { handler() }
    }

    /// `handler(true)` ends a blocked read, and every one until `handler(false)`, as cancelled. It must not block nor
    /// call anything here. A source whose reads are short needs none.
    public func onInterrupt(_ handler: @escaping @Sendable (Bool) -> Void) {
        state.withLock { $0.interruption = handler }
    }

    /// For one of several media that the same thread reads: ended and interrupted along with this one.
    public func part() -> MediaCancellation {
        let part = MediaCancellation()
        let isCancelled = state.withLock { state in
            if !state.isCancelled { state.parts.append(part) }
            return state.isCancelled
        }
        if isCancelled { part.cancel() }
        return part
    }

    public func cancel() {
        let (handler, parts) = state.withLock { state in
            state.isCancelled = true
            state.interruption = nil
            defer { (state.handler, state.parts) = (nil, []) }
            return (state.handler, state.parts)
        }
        handler?()
        for part in parts { part.cancel() }
    }

    private func pass(interruption isInterrupted: Bool) {
        state.withLock { state in
            state.interruption?(isInterrupted)
            for part in state.parts { part.pass(interruption: isInterrupted) }
        }
    }

    /// Ends what the decode thread waits for, where it lets that happen; does nothing elsewhere.
    public func interrupt() {
        state.withLock { state in
            guard state.isInterruptible else { return }
            state.isInterrupted = true
            state.interruption?(true)
            for part in state.parts { part.pass(interruption: true) }
        }
    }

    /// Called on the decode thread: `interrupt` counts until `body` has returned.
    func interruptibly(_ body: () -> Void) {
        state.withLock { $0.isInterruptible = true }
        body()
        state.withLock { state in
            state.isInterruptible = false
            if state.isInterrupted {
                state.interruption?(false)
                for part in state.parts { part.pass(interruption: false) }
            }
            state.isInterrupted = false
        }
    }
}
