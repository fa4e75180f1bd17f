// SPDX-License-Identifier: Apache-2.0

internal import CWebsockets
internal import Glibc
internal import HTTP
internal import Synchronization
internal import Threading

/// What other threads want from the WebSocket thread. However many wakes come, the thread is called once.
final class Inbox: Sendable {
    struct Contents {
        var arrivals: [IncomingConnection] = []
        var awake: [Connection] = []
        var isStopping = false

        var isEmpty: Bool { arrivals.isEmpty && awake.isEmpty && !isStopping }
    }

    /// `@unchecked Sendable` because the context is only used for `lws_cancel_service`, which any thread may call.
    private struct State: @unchecked Sendable {
        var contents = Contents()
        /// nil while there is nothing to cancel: before the start and after the end.
        var context: OpaquePointer?
        var isCalled = false
        var isClosed = false
    }

    private let state = Mutex(State())
    /// Where the thread waits while it has no client at all: libwebsockets would wake up for its own housekeeping.
    private let bell = Mailbox<Void>()

    func post(_ connection: IncomingConnection) {
        let isAccepted = call { state in
            guard !state.isClosed else { return false }
            state.contents.arrivals.append(connection)
            return true
        }
        if !isAccepted { close(connection.descriptor) }
    }

    /// Called once per connection until it is taken: see `Connection.wake`.
    func wake(_ connection: Connection) {
        _ = call { state in
            guard !state.isClosed else { return false }
            state.contents.awake.append(connection)
            return true
        }
    }

    func stop() {
        _ = call { state in
            state.contents.isStopping = true
            return true
        }
    }

    private func call(_ change: (inout State) -> Bool) -> Bool {
        state.withLock { state in
            guard change(&state) else { return false }
            if !state.isCalled {
                state.isCalled = true
                // Under the lock, so that the context is not destroyed meanwhile.
                if let context = state.context { lws_cancel_service(context) } else { bell.post(()) }
            }
            return true
        }
    }

    // MARK: The WebSocket thread

    /// From now on calls interrupt libwebsockets instead of ringing the bell.
    func attach(_ context: OpaquePointer) -> Bool {
        state.withLock { state in
            guard state.contents.isEmpty else { return false }
            state.context = context
            state.isCalled = false
            return true
        }
    }

    func take() -> Contents {
        state.withLock { state in
            state.isCalled = false
            defer {
                // Told once: libwebsockets still has to send what the stop makes it send.
                state.contents.isStopping = false
                state.contents.arrivals = []
                state.contents.awake.removeAll(keepingCapacity: true)
            }
            return state.contents
        }
    }

    /// Waits for a call without libwebsockets.
    func waitForCall() {
        let isCalled = state.withLock { state in
            state.context = nil
            return state.isCalled || !state.contents.isEmpty
        }
        if !isCalled { _ = bell.take(until: nil) }
    }

    /// Nothing is taken any more; what has come is returned.
    func closeDown() -> Contents {
        state.withLock { state in
            state.isClosed = true
            state.context = nil
            defer { state.contents = Contents() }
            return state.contents
        }
    }
}
