// SPDX-License-Identifier: Apache-2.0

internal import Media
internal import Synchronization
internal import Kernel

/// Someone who wants bytes that are still being loaded.
struct CacheWaiter: Sendable {
    let entry: CacheEntry
    let offset: Int64
    /// So many are worth an answer.
    let count: Int64
    let deadline: MonotonicTime
    let call: @Sendable () -> Void

    /// There is enough, or nothing more will come.
    var isOver: Bool {
        entry.state.withLock { state in
            if state.isRemoved || state.isComplete || state.users == 0 || state.failure != nil { return true }
            let end = state.written.ranges.first { $0.contains(offset) }?.upperBound ?? offset
            return end - offset >= count || end == state.facts.size?.bytes
        }
    }
}

/// Those who wait; on the cache's thread, but for their number.
final class CacheWaiters: Sendable {
    /// More than this get what is there.
    static let most = 64

    private let count = Atomic(0)
    private let waiting = Mutex<[CacheWaiter]>([])

    /// False when there are too many.
    func reserve() -> Bool {
        guard count.add(1, ordering: .relaxed).newValue <= Self.most else {
            count.subtract(1, ordering: .relaxed)
            return false
        }
        return true
    }

    /// Of one with a reservation.
    func add(_ waiter: CacheWaiter) { waiting.withLock { $0.append(waiter) } }

    var deadline: MonotonicTime? { waiting.withLock { $0.map(\.deadline).min() } }

    /// Calls those whose time has come; all when `isEnding`.
    func serve(now: MonotonicTime, isEnding: Bool = false) {
        let due = waiting.withLock { waiting -> [CacheWaiter] in
            guard !waiting.isEmpty else { return [] }
            var due: [CacheWaiter] = []
            waiting.removeAll { waiter in
                guard isEnding || waiter.deadline <= now || waiter.isOver else { return false }
                due.append(waiter)
                return true
            }
            return due
        }
        for waiter in due {
            count.subtract(1, ordering: .relaxed)
            waiter.call()
        }
    }
}
