// SPDX-License-Identifier: Apache-2.0

import Glibc

/// An unbounded queue from any thread to the one that owns the mailbox; waiting ends at a deadline.
///
/// Senders never block beyond the few instructions of the lock. What bounds it: each kind of sender posts at most a
/// fixed number of messages that are not yet answered (see `docs/architecture.md`).
///
/// `@unchecked Sendable` because `storage` is only touched with `mutex` held.
public final class Mailbox<Message: Sendable>: @unchecked Sendable {
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private var storage: [Message] = []
    private var isClosed = false

    public init() {
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

    /// False when the mailbox is closed: nobody will ever read the message.
    @discardableResult
    public func post(_ message: Message) -> Bool {
        pthread_mutex_lock(mutex)
        let isOpen = !isClosed
        if isOpen { storage.append(message) }
        pthread_mutex_unlock(mutex)
        if isOpen { pthread_cond_signal(condition) }
        return isOpen
    }

    /// Takes what is left; later posts are refused.
    public func close() -> [Message] {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        isClosed = true
        defer { storage = [] }
        return storage
    }

    /// Takes all that has come, waiting until something does or the deadline has passed; nil waits without one.
    public func take(until deadline: MonotonicTime?) -> [Message] {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        while storage.isEmpty {
            guard let deadline else {
                pthread_cond_wait(condition, mutex)
                continue
            }
            var time = timespec(
                tv_sec: Int(deadline.nanoseconds / 1_000_000_000), tv_nsec: Int(deadline.nanoseconds % 1_000_000_000))
            if pthread_cond_timedwait(condition, mutex, &time) == ETIMEDOUT { break }
        }
        defer { storage.removeAll(keepingCapacity: storage.capacity <= 64) }
        return storage
    }
}
