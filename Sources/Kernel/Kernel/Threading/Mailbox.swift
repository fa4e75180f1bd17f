// SPDX-License-Identifier: Apache-2.0

/// An unbounded queue from any thread to the thread that owns the mailbox. The owner waits in `take(until:)`, or polls the
/// descriptor together with others.
///
/// Senders hold the lock for a few instructions only. Each kind of sender limits its number of unanswered messages, which
/// bounds the queue (see `docs/architecture.md`).
public final class Mailbox<Message: Sendable>: Sendable {
    @usableFromInline
    struct State {
        @usableFromInline var messages: [Message] = []
        @usableFromInline var isClosed = false
        /// A thread has the turn.
        @usableFromInline var isServed = false
        /// The owner was woken and gets the next turn.
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

    /// With a descriptor, for a thread that waits in poll(2), epoll or a library. A lack of descriptors ends the process, with
    /// `thread` in the message.
    public init(descriptorFor thread: String) {
        guard let bell = WakeSignal() else { Shortage.endProcess("descriptors", for: thread) }
        self.bell = bell
    }

    /// Readable while messages wait, or after `ring`; -1 if the mailbox has none.
    public var descriptor: Int32 { bell?.descriptor ?? -1 }

    /// False if the mailbox is closed. The message is left out if `isSame` accepts a waiting message.
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

    /// Wakes the thread that waits on the descriptor, without a message.
    public func ring() { bell?.ring() }

    /// Posts the last message: later posts are refused. False when the mailbox is closed already.
    func close(with last: Message) -> Bool {
        let isOpen = state.change { state in
            guard !state.isClosed else { return false }
            state.messages.append(last)
            (state.isClosed, state.isOwnerDue) = (true, true)
            return true
        }
        bell?.ring()
        return isOpen
    }

    /// Takes what is left; later posts are refused.
    public func close() -> [Message] {
        state.withLock { state in
            state.isClosed = true
            return state.takeAll()
        }
    }

    /// Takes all messages without waiting.
    @inlinable
    public func take() -> [Message] {
        bell?.reset()
        return state.withLock { $0.takeAll() }
    }

    /// Waits for a message, at most until the deadline (nil: no deadline), and takes all.
    @inlinable
    public func take(until deadline: MonotonicTime?) -> [Message] {
        state.wait(until: deadline) { $0.messages.isEmpty ? nil : $0.takeAll() } ?? []
    }

    // MARK: Turns

    // Handling a short message takes less time than waking the owner. A mailbox with turns lets the sender handle it instead.
    // One thread at a time has the turn; messages keep their order.

    /// Gives the first turn to the owner. Call it before the mailbox is used.
    public func beginFirstTurn() { state.withLock { $0.isServed = true } }

    /// Ends the owner's turn and waits for its next one, or the deadline. The owner handles the returned messages.
    @inlinable
    public func nextTurn(until deadline: MonotonicTime?) -> [Message] {
        state.withLock { state in
            state.isServed = false
            // Messages that arrived during the turn.
            if !state.messages.isEmpty { state.isOwnerDue = true }
        }
        if let messages = state.wait(until: deadline, for: { $0.beginOwnersTurn() }) { return messages }
        return state.wait { state in
            state.isOwnerDue = true
            return state.beginOwnersTurn()
        }
    }

    /// As `post`, but handles the message on the calling thread by `serve`, with those that other threads post by this function
    /// meanwhile. If another thread has the turn, that thread handles it. `serve` returns whether the owner gets the next turn.
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
