// SPDX-License-Identifier: Apache-2.0

internal import Glibc
public import Kernel

/// Waits until other threads make a condition true; false after `seconds`.
///
/// It keeps its thread, on purpose: a task that yields spins, and each time it suspends, it waits for all other tests.
public func eventually(within seconds: Double = 60, _ condition: () throws -> Bool) rethrows -> Bool {
    let deadline = MonotonicTime.now.advanced(bySeconds: seconds)
    while try !condition() {
        guard MonotonicTime.now < deadline else { return false }
        usleep(1_000)
    }
    return true
}

extension Mailbox {
    /// The next messages, at least `count`; fewer if they do not come within a minute.
    public func take(_ count: Int) -> [Message] {
        let deadline = MonotonicTime.now.advanced(bySeconds: 60)
        var messages: [Message] = []
        while messages.count < count, MonotonicTime.now < deadline { messages += take(until: deadline) }
        return messages
    }

    /// The only message that comes. Without one the process ends: a test that blocks has no other end.
    @discardableResult
    public func answer(_ file: StaticString = #file, _ line: UInt = #line) -> Message {
        let messages = take(1)
        precondition(messages.count == 1, "\(messages.count) answers", file: file, line: line)
        return messages[0]
    }
}

extension Result {
    /// nil of a success.
    public var failure: Failure? { if case .failure(let failure) = self { failure } else { nil } }
}
