// SPDX-License-Identifier: Apache-2.0

internal import Synchronization
internal import Threading

/// The thread of a handle's private loop, with its mailbox: it begins with the first message. Usable from any thread.
final class LazyLoop<Message: Sendable>: Sendable {
    private enum State {
        case idle
        case running(NamedThread)
        case ended
    }

    private let name: String
    private let run: @Sendable (Mailbox<Message>) -> Void
    private let mailbox = Mailbox<Message>()
    private let state = Mutex(State.idle)

    /// `run` is called once, on the thread, and returns when it has taken the last message.
    init(_ name: String, run: @escaping @Sendable (Mailbox<Message>) -> Void) {
        self.name = name
        self.run = run
    }

    /// Whether anything was ever posted. What is going on is known to the loop alone: what was asked for before may still
    /// wait for it.
    var isBegun: Bool {
        state.withLock { if case .idle = $0 { false } else { true } }
    }

    func post(_ message: Message, orElse refuse: (RecordingError) -> Void) {
        guard begin() else { return refuse(.failed("The machine lets the server have no more threads.")) }
        guard mailbox.post(message) else { return refuse(.shuttingDown) }
    }

    /// Begins no thread; false when the loop will not take it.
    @discardableResult func postIfBegun(_ message: Message) -> Bool { isBegun && mailbox.post(message) }

    /// Waits so long for the loop, which is told by `last`.
    /// - Returns: what it has not taken by then, and never will.
    func shutdown(_ last: Message, within seconds: Double) -> [Message] {
        let previous = state.withLock { state in
            defer { state = .ended }
            return state
        }
        mailbox.post(last)
        if case .running(let thread) = previous { thread.join(within: seconds) }
        return mailbox.close()
    }

    /// False when there can be no thread; the next message tries again.
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
