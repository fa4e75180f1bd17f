// SPDX-License-Identifier: Apache-2.0

import CLinux
import Glibc
import HTTP
import Synchronization

/// Number of open connections, in total and by address.
final class ConnectionCount: Sendable {
    private struct State {
        var total = 0
        var byAddress: [String: Int] = [:]
    }

    private let state = Mutex(State())
    private let limits: ConnectionLimits

    init(limits: ConnectionLimits) {
        self.limits = limits
    }

    /// nil if a limit is reached. The place is freed with the lease.
    func admit(_ peer: HTTPPeer) -> ConnectionLease? {
        let admitted = state.withLock { state in
            guard state.total < limits.total else { return false }
            if case .remote(let address) = peer {
                guard state.byAddress[address, default: 0] < limits.perAddress else { return false }
                state.byAddress[address, default: 0] += 1
            }
            state.total += 1
            return true
        }
        return admitted ? ConnectionLease { self.leave(peer) } : nil
    }

    var total: Int { state.withLock { $0.total } }

    private func leave(_ peer: HTTPPeer) {
        state.withLock { state in
            state.total -= 1
            if case .remote(let address) = peer {
                let left = state.byAddress[address, default: 1] - 1
                state.byAddress[address] = left > 0 ? left : nil
            }
        }
    }
}

public struct ConnectionLimits: Hashable, Sendable {
    public var total: Int
    /// Connections from one address, except loopback.
    public var perAddress: Int
    /// Seconds within which the head of the first request must arrive.
    public var headSeconds: Double

    public init(total: Int = 10_240, perAddress: Int = 256, headSeconds: Double = 10) {
        self.total = total
        self.perAddress = perAddress
        self.headSeconds = headSeconds
    }
}

public enum DescriptorLimit {
    /// Raises the soft limit to `count`, or to the hard limit if that is lower; never lowers it. libwebsockets sizes its
    /// tables by the limit, so the hard limit, a billion in some containers, is no good default. Must be called before any
    /// server starts. Returns the new limit.
    @discardableResult
    public static func raise(toAtLeast count: Int) -> Int {
        var limit = rlimit()
        guard clinux_get_descriptor_limit(&limit) == 0 else { return 0 }
        if limit.rlim_cur < rlim_t(count) {
            var wanted = limit
            wanted.rlim_cur = min(rlim_t(count), limit.rlim_max)
            if clinux_set_descriptor_limit(&wanted) == 0 { limit = wanted }
        }
        return Int(clamping: limit.rlim_cur)
    }
}
