// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// A byte budget that several users share. Any thread may use it.
public final class SharedByteBudget: Sendable {
    private let limit: Int
    private let used = Mutex(0)

    public init(_ budget: ByteBudget) { limit = budget.limit }

    /// One user's share, returned to the budget when it is freed.
    public final class Share: Sendable {
        private let budget: SharedByteBudget
        private let own = Mutex(0)

        public init(of budget: SharedByteBudget) { self.budget = budget }

        deinit { report(used: 0) }

        /// The bytes that this user may use in total while the others use their present amounts.
        public var allowance: Int { max(0, budget.limit - budget.used.withLock { $0 } + own.withLock { $0 }) }

        public func report(used bytes: Int) {
            let difference = own.withLock { own in
                defer { own = bytes }
                return bytes - own
            }
            if difference != 0 { budget.used.withLock { $0 += difference } }
        }
    }
}
