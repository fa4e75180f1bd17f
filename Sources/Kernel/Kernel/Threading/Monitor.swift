// SPDX-License-Identifier: Apache-2.0

public import Glibc

/// A value behind a lock, with waiting until it meets a condition: for a thread that must block until another one has
/// done its part. Inlinable: a generic that another module compiles calls each operation on its values by a table.
///
/// `@unchecked Sendable` because `value` is only touched with `mutex` held.
public final class Monitor<Value>: @unchecked Sendable {
    @usableFromInline let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    @usableFromInline let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    @usableFromInline var value: Value

    public init(_ value: sending Value) {
        self.value = value
        pthread_mutex_init(mutex, nil)
        var attributes = pthread_condattr_t()
        pthread_condattr_init(&attributes)
        pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        pthread_cond_init(condition, &attributes)
        pthread_condattr_destroy(&attributes)
    }

    deinit {
        pthread_cond_destroy(condition)
        pthread_mutex_destroy(mutex)
        condition.deallocate()
        mutex.deallocate()
    }

    @inlinable
    public func withLock<Result>(_ body: (inout Value) -> Result) -> Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return body(&value)
    }

    /// As `withLock`, then lets those who wait look again.
    @inlinable
    public func change<Result>(_ body: (inout Value) -> Result) -> Result {
        let result = withLock(body)
        pthread_cond_broadcast(condition)
        return result
    }

    /// Blocks until `body` has an answer; it is asked at once and after each `change`.
    @inlinable
    public func wait<Result>(for body: (inout Value) -> Result?) -> Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        while true {
            if let result = body(&value) { return result }
            pthread_cond_wait(condition, mutex)
        }
    }

    /// Likewise, until the deadline has passed; nil waits without one.
    @inlinable
    public func wait<Result>(until deadline: MonotonicTime?, for body: (inout Value) -> Result?) -> Result? {
        guard let deadline else {
            let result: Result = wait(for: body)
            return result
        }
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        var time = timespec(
            tv_sec: Int(deadline.nanoseconds / 1_000_000_000), tv_nsec: Int(deadline.nanoseconds % 1_000_000_000))
        while true {
            if let result = body(&value) { return result }
            if pthread_cond_timedwait(condition, mutex, &time) == ETIMEDOUT { return body(&value) }
        }
    }
}
