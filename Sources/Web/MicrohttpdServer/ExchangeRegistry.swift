// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// The users of suspended connections. All must be resumed before libmicrohttpd stops, or it aborts the process.
final class ExchangeRegistry: Sendable {
    private struct State {
        var ends: [ObjectIdentifier: @Sendable () -> Void] = [:]
        var isEnded = false
    }

    private let state = Mutex(State())

    /// `end` resumes the connection; any thread may call it. False if the server is stopping, and no connection may be
    /// suspended any more.
    func insert(_ member: AnyObject, end: @escaping @Sendable () -> Void) -> Bool {
        state.withLock { state in
            guard !state.isEnded else { return false }
            state.ends[ObjectIdentifier(member)] = end
            return true
        }
    }

    func remove(_ member: AnyObject) {
        state.withLock { _ = $0.ends.removeValue(forKey: ObjectIdentifier(member)) }
    }

    func endAll() {
        let ends = state.withLock { state in
            state.isEnded = true
            defer { state.ends = [:] }
            return Array(state.ends.values)
        }
        for end in ends { end() }
    }
}
