// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// What is suspended and must be brought back before libmicrohttpd can stop: it aborts the process otherwise.
protocol Endable: AnyObject, Sendable {
    /// Any thread.
    func end()
}

final class ExchangeRegistry: Sendable {
    private struct State {
        var members: [ObjectIdentifier: any Endable] = [:]
        var isEnded = false
    }

    private let state = Mutex(State())

    /// False when the server stops: nothing may be suspended any more.
    func insert(_ member: any Endable) -> Bool {
        state.withLock { state in
            guard !state.isEnded else { return false }
            state.members[ObjectIdentifier(member)] = member
            return true
        }
    }

    func remove(_ member: any Endable) {
        state.withLock { _ = $0.members.removeValue(forKey: ObjectIdentifier(member)) }
    }

    func endAll() {
        let members = state.withLock { state in
            state.isEnded = true
            defer { state.members = [:] }
            return Array(state.members.values)
        }
        for member in members { member.end() }
    }
}

extension Exchange: Endable {}
