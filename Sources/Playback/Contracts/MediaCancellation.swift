// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Ends blocking work on a decode thread, from any thread: permanently, or only the present wait.
public final class MediaCancellation: Sendable {
    private struct State {
        var isCancelled = false
        var handler: (@Sendable () -> Void)?
        var interruption: (@Sendable (Bool) -> Void)?
        /// The cancellations of media that the same thread reads.
        var parts: [MediaCancellation] = []
        var isInterruptible = false
        var isInterrupted = false

        func pass(interruption isInterrupted: Bool) {
            interruption?(isInterrupted)
            for part in parts { part.pass(interruption: isInterrupted) }
        }
    }

    private let state = Mutex(State())

    public init() {}

    public var isCancelled: Bool { state.withLock { $0.isCancelled } }

    /// True if the decode thread must return. For work that does not wait.
    var wantsReturn: Bool { state.withLock { $0.isCancelled || $0.isInterrupted } }

    /// Called at most once, from the cancelling thread; immediately if already cancelled. The handler closes the source.
    public func onCancel(_ handler: @escaping @Sendable () -> Void) {
        let callNow = state.withLock { state in
            if !state.isCancelled { state.handler = handler }
            return state.isCancelled
        }
        if callNow { handler() }
    }

    /// `handler(true)` makes the blocked read, and each one until `handler(false)`, fail as cancelled. It must not block
    /// or call this object. A source with short reads needs no handler.
    public func onInterrupt(_ handler: @escaping @Sendable (Bool) -> Void) {
        state.withLock { $0.interruption = handler }
    }

    /// For one of several media that the same thread reads: cancelled and interrupted together with this one.
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
        state.withLock { $0.pass(interruption: isInterrupted) }
    }

    /// Interrupts the present wait of the decode thread within `interruptibly`; elsewhere it has no effect.
    public func interrupt() {
        state.withLock { state in
            guard state.isInterruptible else { return }
            state.isInterrupted = true
            state.pass(interruption: true)
        }
    }

    /// Called on the decode thread: `interrupt` takes effect until `body` returns.
    func interruptibly(_ body: () -> Void) {
        state.withLock { $0.isInterruptible = true }
        body()
        state.withLock { state in
            if state.isInterrupted { state.pass(interruption: false) }
            (state.isInterruptible, state.isInterrupted) = (false, false)
        }
    }
}
