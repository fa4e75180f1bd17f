// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// A loop's thread and mailbox; the first message starts the thread. Any thread may use it.
public final class LazyLoop<Message: Sendable>: Sendable {
    public enum Refusal: Error {
        /// The machine allows no more threads; the next message tries again.
        case noThread
        case ended
    }

    private enum State {
        case idle
        case running(NamedThread)
        case ended
    }

    private let name: String
    private let run: @Sendable (Mailbox<Message>) -> Void
    private let mailbox: Mailbox<Message>
    private let state = Mutex(State.idle)

    /// `run` is called once, on the loop's thread, and returns after the last message.
    public init(
        _ name: String, _ mailbox: Mailbox<Message> = Mailbox(), run: @escaping @Sendable (Mailbox<Message>) -> Void
    ) {
        self.name = name
        self.mailbox = mailbox
        self.run = run
    }

    /// Whether a message was ever accepted. The loop may not have handled it yet.
    public var isBegun: Bool {
        state.withLock { if case .idle = $0 { false } else { true } }
    }

    public func post(_ message: Message) throws(Refusal) {
        guard begin() else { throw .noThread }
        guard mailbox.post(message) else { throw .ended }
    }

    /// Posts without starting the thread; false if the loop will not receive the message.
    @discardableResult
    public func postIfBegun(_ message: Message, unless isSame: ((Message) -> Bool)? = nil) -> Bool {
        isBegun && mailbox.post(message, unless: isSame)
    }

    /// Posts `last`, which ends the loop, and waits for its end, but at most `seconds`.
    /// - Returns: the messages that the loop has not taken by then. It never will.
    public func shutdown(_ last: Message, within seconds: Double) -> [Message] {
        let previous = state.withLock { state in
            defer { state = .ended }
            return state
        }
        mailbox.post(last)
        if case .running(let thread) = previous { thread.join(within: seconds) }
        return mailbox.close()
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
