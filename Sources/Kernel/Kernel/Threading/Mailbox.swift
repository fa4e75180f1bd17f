// SPDX-License-Identifier: Apache-2.0

/// An unbounded queue from any thread to the one that owns the mailbox. The owner waits in `take(until:)`, or on the
/// descriptor beside others.
///
/// Senders never block beyond the few instructions of the lock. What bounds it: each kind of sender posts at most a
/// fixed number of messages that are not yet answered (see `docs/architecture.md`).
public final class Mailbox<Message: Sendable>: Sendable {
    @usableFromInline
    struct State {
        @usableFromInline var messages: [Message] = []
        @usableFromInline var isClosed = false
        /// Somebody has the turn.
        @usableFromInline var isServed = false
        /// The owner gets the next turn: it was woken.
        @usableFromInline var isOwnerDue = false

        @inlinable
        mutating func takeAll() -> [Message] {
            defer { messages = [] }
            return messages
        }

        @inlinable
        mutating func beginOwnersTurn() -> [Message]? {
            guard isOwnerDue, !isServed else { return nil }
            isServed = true
            isOwnerDue = false
            return takeAll()
        }
    }

    @usableFromInline let state = Monitor(State())
    @usableFromInline let bell: WakeSignal?

    /// Without a descriptor.
    public init() { bell = nil }

    /// With a descriptor, for a thread that waits in poll(2), epoll or a library. `thread` names it if there are no more
    /// descriptors, which ends the process.
    public init(descriptorFor thread: String) {
        guard let bell = WakeSignal() else { Shortage.endProcess("descriptors", for: thread) }
        self.bell = bell
    }

    /// Readable while messages wait, or after `ring`. -1 without one.
    public var descriptor: Int32 { bell?.descriptor ?? -1 }

    /// False when the mailbox is closed: nobody will ever read the message. With `isSame` it is left out where a message
    /// waits that stands for it.
    @inlinable @discardableResult
    public func post(_ message: Message, unless isSame: ((Message) -> Bool)? = nil) -> Bool {
        let (isOpen, isFirst) = state.change { state in
            let isFirst = state.messages.isEmpty
            if !state.isClosed, isSame.map({ !state.messages.contains(where: $0) }) ?? true {
                state.messages.append(message)
                state.isOwnerDue = true
            }
            return (!state.isClosed, isFirst)
        }
        if isOpen, isFirst { bell?.ring() }
        return isOpen
    }

    /// Wakes a thread that waits on the descriptor, without a message.
    public func ring() { bell?.ring() }

    /// Takes what is left; later posts are refused.
    public func close() -> [Message] {
        state.withLock { state in
            state.isClosed = true
            return state.takeAll()
        }
    }

    /// Takes all that has come, without waiting.
    @inlinable
    public func take() -> [Message] {
        bell?.reset()
        return state.withLock { $0.takeAll() }
    }

    /// Takes all that has come, waiting until something does or the deadline has passed; nil waits without one.
    @inlinable
    public func take(until deadline: MonotonicTime?) -> [Message] {
        state.wait(until: deadline) { $0.messages.isEmpty ? nil : $0.takeAll() } ?? []
    }

    // MARK: Turns

    // A message that is short work costs less time to handle than to wake its owner. Such a mailbox has turns: the sender may
    // handle it in the owner's place. One thread has the turn at a time; messages keep their order.

    /// Before the mailbox is used: the owner has the first turn.
    public func beginFirstTurn() { state.withLock { $0.isServed = true } }

    /// Ends the owner's turn, and waits for its next one or the deadline. What came is the owner's to handle.
    @inlinable
    public func nextTurn(until deadline: MonotonicTime?) -> [Message] {
        state.withLock { state in
            state.isServed = false
            // Came during the turn.
            if !state.messages.isEmpty { state.isOwnerDue = true }
        }
        if let messages = state.wait(until: deadline, for: { $0.beginOwnersTurn() }) { return messages }
        return state.wait { state in
            state.isOwnerDue = true
            return state.beginOwnersTurn()
        }
    }

    /// As `post`, without waking the owner: `serve` handles the message here and now, and those that come by this call meanwhile.
    /// If another thread has the turn, that one does. `serve` returns whether the owner is to have the next turn.
    @inlinable @discardableResult
    public func post(_ message: Message, orServe serve: ([Message]) -> Bool) -> Bool {
        let (isOpen, isMine) = state.withLock { state in
            let isMine = !state.isClosed && !state.isServed && !state.isOwnerDue
            if isMine { state.isServed = true } else if !state.isClosed { state.messages.append(message) }
            return (!state.isClosed, isMine)
        }
        guard isMine else { return isOpen }
        var isOwnerDue = serve([message])
        let others = state.withLock { $0.isOwnerDue ? [] : $0.takeAll() }
        if !others.isEmpty, serve(others) { isOwnerDue = true }
        let wakesOwner = state.withLock { state in
            state.isServed = false
            state.isOwnerDue = state.isOwnerDue || isOwnerDue || !state.messages.isEmpty
            return state.isOwnerDue
        }
        if wakesOwner { state.change { _ in } }
        return true
    }
}
