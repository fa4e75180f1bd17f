// SPDX-License-Identifier: Apache-2.0

internal import CMicrohttpd
internal import Synchronization

/// Suspends and resumes the connection of a streamed body. A separate object, so that a stream that keeps `wake` keeps
/// nothing else alive.
final class StreamSignal: Sendable {
    /// `@unchecked Sendable` because the connection is only suspended on its own thread, and any thread may resume it.
    private struct State: @unchecked Sendable {
        /// nil after the response has ended, as the connection may be closed.
        var connection: OpaquePointer?
        var isSuspended = false
        var isWoken = false
        var isEnding = false

        mutating func resume() {
            isWoken = true
            guard isSuspended, let connection else { return }
            isSuspended = false
            MHD_resume_connection(connection)
        }
    }

    private let state: Mutex<State>

    init(_ connection: OpaquePointer) {
        state = Mutex(State(connection: connection))
    }

    /// Any thread may call this.
    func wake() { state.withLock { $0.resume() } }

    /// Ends the body at the next call of `takeWake`. Any thread may call this.
    func end() {
        state.withLock { state in
            state.isEnding = true
            state.resume()
        }
    }

    func finish() { state.withLock { $0.connection = nil } }

    /// Forgets earlier wakes; called before the stream is asked. False if the body must end.
    func takeWake() -> Bool {
        state.withLock { state in
            state.isWoken = false
            return !state.isEnding
        }
    }

    /// False if the stream was woken since `takeWake`, and must be asked again.
    func suspend() -> Bool {
        state.withLock { state in
            guard !state.isWoken, !state.isEnding, let connection = state.connection else { return false }
            MHD_suspend_connection(connection)
            state.isSuspended = true
            return true
        }
    }
}
