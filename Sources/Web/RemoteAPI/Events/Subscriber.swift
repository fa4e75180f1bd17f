// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// One client of the event channel: its outbox, and a closure that wakes its connection. Any thread; `wake` is called
/// without a lock.
final class Subscriber: Sendable {
    private struct State {
        var outbox: Outbox
        var subscription: Subscription
        var wake: (@Sendable () -> Void)?
        var isEnding = false
        var parting: String?
    }

    private let state: Mutex<State>
    /// Proxies close silent connections; occasional comments keep Server-Sent Events alive.
    let wantsHeartbeat: Bool

    init(_ subscription: Subscription, wantsHeartbeat: Bool = false) {
        state = Mutex(State(outbox: Outbox(selection: subscription.selection), subscription: subscription))
        self.wantsHeartbeat = wantsHeartbeat
    }

    var subscription: Subscription { state.withLock { $0.subscription } }
    var selection: EventSelection { subscription.selection }
    /// Bytes of unread replies.
    var keptBytes: Int { state.withLock { $0.outbox.keptBytes } }
    /// The server is stopping: waiting frames are not sent.
    var isEnding: Bool { state.withLock { $0.isEnding } }

    /// Why the connection ends after its waiting frames are sent; nil if it does not.
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

    // MARK: Input

    /// - Returns: the closure that wakes its connection, if needed.
    func deliver(_ event: EventFrame) -> (@Sendable () -> Void)? {
        state.withLock { state in state.outbox.append(event) ? state.wake : nil }
    }
    /// Sends a reply; it is never dropped.
    func keep(_ frame: EventFrame) { put { $0.keep(frame) } }
    func set(_ frame: EventFrame) { put { $0.set(frame) } }
    func setHeartbeat() { put { $0.setHeartbeat() } }

    /// `frames` contain the state as of `sequence` or later.
    func begin(after sequence: UInt64, _ frames: [EventFrame]) {
        state.withLock { $0.outbox.begin(after: sequence, frames) }
    }

    func end() { wake { $0.isEnding = true } }

    /// As `end`, but waiting frames are still sent.
    func part(_ reason: String) { wake { $0.parting = reason } }

    func wakeAnyway() { wake { _ in } }

    private func wake(_ change: (inout State) -> Void) {
        let wake = state.withLock { state in
            change(&state)
            return state.wake
        }
        wake?()
    }

    // MARK: Output

    /// See `Outbox`.
    var first: EventFrame? { state.withLock { $0.outbox.first } }
    func next() -> Outbox.Next { state.withLock { $0.outbox.next() } }
    func takeLostCount() -> Int { state.withLock { $0.outbox.takeLostCount() } }

    private func put(_ body: (inout Outbox) -> Bool) {
        let wake = state.withLock { state in body(&state.outbox) ? state.wake : nil }
        wake?()
    }
}
