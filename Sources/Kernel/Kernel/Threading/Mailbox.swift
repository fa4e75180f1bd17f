// SPDX-License-Identifier: Apache-2.0

import Glibc

/// An unbounded queue from any thread to the one that owns the mailbox. The owner waits in `take(until:)`, or on the
/// descriptor beside others.
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
    private let bell: WakeSignal?

    /// Without a descriptor.
    public convenience init() { self.init(bell: nil) }

    /// With a descriptor, for a thread that waits in poll(2), epoll or a library. `thread` names it if there are no more
    /// descriptors, which ends the process.
    public convenience init(descriptorFor thread: String) {
        guard let bell = WakeSignal() else { Shortage.endProcess("descriptors", for: thread) }
        self.init(bell: bell)
    }

    private init(bell: WakeSignal?) {
        self.bell = bell
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

    /// Readable while messages wait, or after `ring`. -1 without one.
    public var descriptor: Int32 { bell?.descriptor ?? -1 }

    /// False when the mailbox is closed: nobody will ever read the message. With `isSame` it is left out where a message
    /// waits that stands for it.
    @discardableResult
    public func post(_ message: Message, unless isSame: ((Message) -> Bool)? = nil) -> Bool {
        pthread_mutex_lock(mutex)
        let isOpen = !isClosed
        let isFirst = storage.isEmpty
        if isOpen, isSame.map({ !storage.contains(where: $0) }) ?? true { storage.append(message) }
        pthread_mutex_unlock(mutex)
        guard isOpen else { return false }
        if let bell { if isFirst { bell.ring() } } else { pthread_cond_signal(condition) }
        return true
    }

    /// Wakes a thread that waits on the descriptor, without a message.
    public func ring() { bell?.ring() }

    /// Takes what is left; later posts are refused.
    public func close() -> [Message] {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        isClosed = true
        defer { storage = [] }
        return storage
    }

    /// Takes all that has come, without waiting.
    public func take() -> [Message] {
        bell?.reset()
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return takeAll()
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
        return takeAll()
    }

    private func takeAll() -> [Message] {
        defer { storage.removeAll(keepingCapacity: storage.capacity <= 64) }
        return storage
    }
}
