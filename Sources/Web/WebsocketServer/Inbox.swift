// SPDX-License-Identifier: Apache-2.0

internal import CWebsockets
internal import Glibc
internal import HTTP
internal import Synchronization

/// A new client for the WebSocket thread: the HTTP server has answered its request with 101.
struct Arrival {
    var connection: UpgradedConnection
    var session: any WebSocketSession
}

/// Requests of other threads to the WebSocket thread. However many wake-ups come, the thread is called once.
final class Inbox: Sendable {
    struct Contents {
        var arrivals: [Arrival] = []
        var awake: [Connection] = []
        var isStopping = false
        /// The application asks for a call of `tick`.
        var isTimerAwake = false

        var isEmpty: Bool { arrivals.isEmpty && awake.isEmpty && !isStopping && !isTimerAwake }
    }

    /// `@unchecked Sendable` because the context is only used for `lws_cancel_service`, which any thread may call.
    private struct State: @unchecked Sendable {
        var contents = Contents()
        /// nil while the thread does not wait in libwebsockets: then the bell calls it.
        var context: OpaquePointer?
        /// The thread is awake or will be: it looks here before it waits.
        var isCalled = false
        var isClosed = false
    }

    private let state = Mutex(State())
    private let readiness: Readiness

    init(readiness: Readiness) {
        self.readiness = readiness
    }

    func post(_ arrival: Arrival) {
        if !call({ $0.arrivals.append(arrival) }) { close(arrival.connection.descriptor) }
    }

    /// Called once per connection until it is taken: see `Connection.wake`.
    func wake(_ connection: Connection) { call { $0.awake.append(connection) } }

    /// Called for a timer of the application that may be due earlier.
    func wakeTimer() { call { $0.isTimerAwake = true } }

    func stop() { call { $0.isStopping = true } }

    /// False after the end.
    @discardableResult
    private func call(_ change: (inout Contents) -> Void) -> Bool {
        let (isTaken, rings) = state.withLock { state in
            guard !state.isClosed else { return (false, false) }
            change(&state.contents)
            if state.isCalled { return (true, false) }
            state.isCalled = true
            guard let context = state.context else { return (true, true) }
            // Under the lock, so that the context is not destroyed meanwhile.
            lws_cancel_service(context)
            return (true, false)
        }
        // Without the lock, as the woken thread takes it at once.
        if rings { readiness.ring() }
        return isTaken
    }

    // MARK: The WebSocket thread

    /// From now on calls interrupt libwebsockets, or ring the bell if there is no context. False if a request is
    /// waiting already.
    func expectCalls(in context: OpaquePointer?) -> Bool {
        state.withLock { state in
            guard state.contents.isEmpty else { return false }
            state.context = context
            state.isCalled = false
            return true
        }
    }

    /// Whether the application's timer was woken. From now on the thread is awake.
    func takeTimer() -> Bool {
        state.withLock { state in
            state.isCalled = true
            defer { state.contents.isTimerAwake = false }
            return state.contents.isTimerAwake
        }
    }

    /// All but the timer.
    func take() -> Contents {
        state.withLock { state in
            defer {
                // Reported once: libwebsockets still has to send the close frames.
                state.contents.isStopping = false
                state.contents.arrivals = []
                state.contents.awake.removeAll(keepingCapacity: true)
            }
            return state.contents
        }
    }

    /// Accepts nothing from now on; returns the waiting requests.
    func closeDown() -> Contents {
        state.withLock { state in
            state.isClosed = true
            state.context = nil
            defer { state.contents = Contents() }
            return state.contents
        }
    }
}
