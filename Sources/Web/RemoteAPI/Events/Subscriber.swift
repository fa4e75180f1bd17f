// SPDX-License-Identifier: Apache-2.0

import HTTP
import Synchronization

/// One client of the event channel: its outbox, and the way to wake its connection. Usable from any thread; `wake` is
/// called without any lock held.
final class Subscriber: Sendable {
    private struct State {
        var outbox: Outbox
        var subscription: Subscription
        var wake: (@Sendable () -> Void)?
        var isEnding = false
        var parting: String?
    }

    private let state: Mutex<State>
    /// Proxies close connections that are silent; a comment now and then keeps Server-Sent Events alive.
    let wantsHeartbeat: Bool

    init(_ subscription: Subscription, wantsHeartbeat: Bool = false) {
        state = Mutex(State(outbox: Outbox(selection: subscription.selection), subscription: subscription))
        self.wantsHeartbeat = wantsHeartbeat
    }

    var subscription: Subscription { state.withLock { $0.subscription } }
    var selection: EventSelection { subscription.selection }
    /// Bytes of replies that the client has not taken.
    var keptBytes: Int { state.withLock { $0.outbox.keptBytes } }
    /// The server goes down: what waits is no longer sent.
    var isEnding: Bool { state.withLock { $0.isEnding } }

    /// Why the connection ends once what waits is sent; nil while it does not.
    var parting: String? { state.withLock { $0.parting } }

    func setWake(_ wake: (@Sendable () -> Void)?) {
        state.withLock { $0.wake = wake }
    }

    func change(_ subscription: Subscription) {
        state.withLock { state in
            state.outbox.selection = subscription.selection
            state.subscription = subscription
        }
    }

    // MARK: In

    /// - Returns: the wake-up of its connection, when it needs one.
    func deliver(_ event: EventFrame) -> (@Sendable () -> Void)? {
        state.withLock { state in state.outbox.append(event) ? state.wake : nil }
    }
    /// Sends a reply; it is never dropped.
    func keep(_ frame: EventFrame) { put { $0.keep(frame) } }
    func set(_ frame: EventFrame) { put { $0.set(frame) } }
    func setHeartbeat() { put { $0.setHeartbeat() } }

    /// The greeting: everything before `sequence` is in `frames` or older than them.
    func begin(after sequence: UInt64, _ frames: [EventFrame]) {
        state.withLock { state in
            state.outbox.begin(after: sequence)
            for frame in frames { _ = state.outbox.keep(frame) }
        }
    }

    func resume(after sequence: UInt64, _ frames: [EventFrame]) {
        state.withLock { $0.outbox.resume(after: sequence, frames) }
    }

    func end() { wake { $0.isEnding = true } }

    /// As `end`, but what waits is still sent.
    func part(_ reason: String) { wake { $0.parting = reason } }

    /// Makes the connection pull, whatever it knows.
    func wakeAnyway() { wake { _ in } }

    private func wake(_ change: (inout State) -> Void) {
        let wake = state.withLock { state in
            change(&state)
            return state.wake
        }
        wake?()
    }

    // MARK: Out

    /// See `Outbox`.
    var first: EventFrame? { state.withLock { $0.outbox.first } }
    func next() -> Outbox.Next { state.withLock { $0.outbox.next() } }
    func takeLostCount() -> Int { state.withLock { $0.outbox.takeLostCount() } }

    private func put(_ body: (inout Outbox) -> Bool) {
        let wake = state.withLock { state in body(&state.outbox) ? state.wake : nil }
        wake?()
    }
}
