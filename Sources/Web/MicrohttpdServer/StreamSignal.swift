// SPDX-License-Identifier: Apache-2.0

internal import CMicrohttpd
internal import Synchronization

/// Suspends and resumes the connection of a streamed body. Apart from it, so that a stream that keeps `wake` keeps
/// nothing but this.
final class StreamSignal: Endable {
    /// `@unchecked Sendable` because the connection is only suspended by its own thread and resumed, which
    /// libmicrohttpd allows from any thread.
    private struct State: @unchecked Sendable {
        /// nil once the response is done with: the connection may be gone.
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

    /// Any thread.
    func wake() { state.withLock { $0.resume() } }

    /// Any thread: the body ends at the next look.
    func end() {
        state.withLock { state in
            state.isEnding = true
            state.resume()
        }
    }

    func finish() { state.withLock { $0.connection = nil } }

    /// Forgets earlier wakes, before the stream is asked; false when the body is to end.
    func takeWake() -> Bool {
        state.withLock { state in
            state.isWoken = false
            return !state.isEnding
        }
    }

    /// False when a wake has come since `takeWake`: the stream is to be asked again.
    func suspend() -> Bool {
        state.withLock { state in
            guard !state.isWoken, !state.isEnding, let connection = state.connection else { return false }
            MHD_suspend_connection(connection)
            state.isSuspended = true
            return true
        }
    }
}
