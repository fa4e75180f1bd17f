// SPDX-License-Identifier: Apache-2.0

internal import Glibc
public import Kernel

/// Waits until other threads make a condition true; false after `seconds`.
///
/// Blocks its thread on purpose: a task that yields would spin, and wait for all other tests at each suspension.
public func eventually(within seconds: Double = 60, _ condition: () throws -> Bool) rethrows -> Bool {
    let deadline = MonotonicTime.now.advanced(bySeconds: seconds)
    while try !condition() {
        guard MonotonicTime.now < deadline else { return false }
        usleep(1_000)
    }
    return true
}

/// Whether the body, which may hang, returns within a minute.
public func returns(_ body: @escaping @Sendable () -> Void) -> Bool {
    let done = Mailbox<Void>()
    NamedThread("returns") {
        body()
        done.post(())
    }.detach()
    return !done.take(until: .now.advanced(bySeconds: 60)).isEmpty
}

extension Mailbox {
    /// At least the next `count` messages; fewer if they do not arrive within a minute.
    public func take(_ count: Int) -> [Message] {
        let deadline = MonotonicTime.now.advanced(bySeconds: 60)
        var messages: [Message] = []
        while messages.count < count, MonotonicTime.now < deadline { messages += take(until: deadline) }
        return messages
    }

    /// The next message, which must arrive alone. Otherwise the process ends, as a blocked test cannot.
    @discardableResult
    public func answer(_ file: StaticString = #file, _ line: UInt = #line) -> Message {
        let messages = take(1)
        precondition(messages.count == 1, "\(messages.count) answers", file: file, line: line)
        return messages[0]
    }
}

extension Result {
    /// nil for a success.
    public var failure: Failure? { if case .failure(let failure) = self { failure } else { nil } }
}
