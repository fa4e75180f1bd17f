// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// The thread and the mailbox of a private loop. The thread starts with the first message. Any thread may post.
///
/// A request is answered exactly once: by the loop, or by `refuse` if the loop never takes it.
public final class LazyLoop<Message: Sendable>: Sendable {
    /// Why a message is not taken.
    public enum Refusal: Sendable {
        /// The machine has no more threads. The next message tries again.
        case noThread
        case ended

        /// A sentence for users.
        public var reason: String {
            switch self {
            case .noThread: "The machine lets the server have no more threads."
            case .ended: "The server is going down."
            }
        }
    }

    private enum State {
        case idle
        case running(NamedThread)
        case ended
    }

    private let name: String
    private let refuse: @Sendable (Message, Refusal) -> Void
    private let run: @Sendable (Mailbox<Message>) -> Void
    private let mailbox: Mailbox<Message>
    private let state = Mutex(State.idle)

    /// - Parameters:
    ///   - refuse: called with each message that the loop will never take, on the poster's thread.
    ///   - run: called once, on the loop's thread; returns when it has taken the last message.
    public init(
        _ name: String, _ mailbox: Mailbox<Message> = Mailbox(), refuse: @escaping @Sendable (Message, Refusal) -> Void,
        run: @escaping @Sendable (Mailbox<Message>) -> Void
    ) {
        self.name = name
        self.mailbox = mailbox
        self.refuse = refuse
        self.run = run
    }

    /// Whether a message was ever posted. Only the loop knows its state: earlier messages may still wait for it.
    public var isBegun: Bool {
        state.withLock { if case .idle = $0 { false } else { true } }
    }

    public func post(_ message: Message) {
        guard begin() else { return refuse(message, .noThread) }
        if !mailbox.post(message) { refuse(message, .ended) }
    }

    /// Starts no thread and refuses nothing: false when the loop will not take the message.
    @discardableResult
    public func postIfBegun(_ message: Message, unless isSame: ((Message) -> Bool)? = nil) -> Bool {
        isBegun && mailbox.post(message, unless: isSame)
    }

    /// Posts the last message: later ones are refused. False when the loop will not take it, as it has not begun or has
    /// ended.
    @discardableResult
    public func end(with last: Message) -> Bool {
        let isRunning = state.withLock { state in
            if case .running = state { return true }
            state = .ended
            return false
        }
        let isOpen = mailbox.close(with: last)
        if isRunning { return isOpen }
        refuseRemaining()
        return false
    }

    /// As `end`, then waits for the loop for this number of seconds, and refuses the messages that it has not taken by then.
    public func shutdown(_ last: Message, within seconds: Double) {
        end(with: last)
        let previous = state.withLock { state in
            defer { state = .ended }
            return state
        }
        if case .running(let thread) = previous { thread.join(within: seconds) }
        refuseRemaining()
    }

    private func refuseRemaining() {
        for message in mailbox.close() { refuse(message, .ended) }
    }

    /// False if the machine allows no more threads.
    private func begin() -> Bool {
        state.withLock { state in
            guard case .idle = state else { return true }
            let (run, mailbox) = (run, mailbox)
            guard let thread = NamedThread(ifPossible: name, { run(mailbox) }) else { return false }
            state = .running(thread)
            return true
        }
    }
}
