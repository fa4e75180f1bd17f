// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// The thread of a handle's private loop, with its mailbox: it begins with the first message. Usable from any thread.
public final class LazyLoop<Message: Sendable>: Sendable {
    /// Why a message is not taken.
    public enum Refusal: Error {
        /// There can be no more threads; the next message tries again.
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

    /// `run` is called once, on the thread, and returns when it has taken the last message.
    public init(
        _ name: String, _ mailbox: Mailbox<Message> = Mailbox(), run: @escaping @Sendable (Mailbox<Message>) -> Void
    ) {
        self.name = name
        self.mailbox = mailbox
        self.run = run
    }

    /// Whether anything was ever posted. What is going on is known to the loop alone: what was asked for before may still
    /// wait for it.
    public var isBegun: Bool {
        state.withLock { if case .idle = $0 { false } else { true } }
    }

    public func post(_ message: Message) throws(Refusal) {
        guard begin() else { throw .noThread }
        guard mailbox.post(message) else { throw .ended }
    }

    /// Begins no thread; false when the loop will not take it.
    @discardableResult
    public func postIfBegun(_ message: Message, unless isSame: ((Message) -> Bool)? = nil) -> Bool {
        isBegun && mailbox.post(message, unless: isSame)
    }

    /// Waits so long for the loop, which `last` ends.
    /// - Returns: what it has not taken by then, and never will.
    public func shutdown(_ last: Message, within seconds: Double) -> [Message] {
        let previous = state.withLock { state in
            defer { state = .ended }
            return state
        }
        mailbox.post(last)
        if case .running(let thread) = previous { thread.join(within: seconds) }
        return mailbox.close()
    }

    /// False when there can be no thread.
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
