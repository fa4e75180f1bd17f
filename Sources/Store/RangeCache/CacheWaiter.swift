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
