// SPDX-License-Identifier: Apache-2.0

public import Glibc

/// A value behind a lock, on which a thread can wait for a condition. Inlinable, because an unspecialised generic from another
/// module performs each operation on its values through a witness table.
///
/// `@unchecked Sendable` because `value` is accessed only while `mutex` is held.
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

    /// As `withLock`, then wakes all waiting threads to check again.
    @inlinable
    public func change<Result>(_ body: (inout Value) -> Result) -> Result {
        let result = withLock(body)
        pthread_cond_broadcast(condition)
        return result
    }

    /// Blocks until `body` returns a value; calls it at once and after each `change`.
    @inlinable
    public func wait<Result>(for body: (inout Value) -> Result?) -> Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        while true {
            if let result = body(&value) { return result }
            pthread_cond_wait(condition, mutex)
        }
    }

    /// As above, but at most until the deadline (nil: no deadline).
    @inlinable
    public func wait<Result>(until deadline: MonotonicTime?, for body: (inout Value) -> Result?) -> Result? {
        guard let deadline else { return .some(wait(for: body)) }
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        var time = deadline.timespec
        while true {
            if let result = body(&value) { return result }
            if pthread_cond_timedwait(condition, mutex, &time) == ETIMEDOUT { return body(&value) }
        }
    }
}
