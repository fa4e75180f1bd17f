// SPDX-License-Identifier: Apache-2.0

import Kernel

/// Parts that end side by side, each on a thread of its own: one that hangs, on a disk or a sound server, holds up no other.
struct Shutdown {
    private let ended = Mailbox<Void>()
    private var running = 0

    /// Returns at once. Where there can be no more threads it is done here: what must not wait is begun first.
    mutating func begin(_ end: @escaping @Sendable () -> Void) {
        let ended = ended
        running += 1
        let thread = NamedThread(ifPossible: "part-end") {
            end()
            ended.post(())
        }
        guard let thread else {
            end()
            ended.post(())
            return
        }
        // One that hangs ends with the process.
        thread.detach()
    }

    /// Waits for all that have begun.
    /// - Returns: whether they have ended by then.
    @discardableResult
    mutating func wait(until deadline: MonotonicTime) -> Bool {
        while running > 0 {
            let count = ended.take(until: deadline).count
            guard count > 0 else { return false }
            running -= count
        }
        return true
    }
}

/// Sees to it that the process ends in time, whatever its parts wait for. Each of them gives up by itself, but with a disk that
/// hangs they do so one after another.
struct EndInTime {
    private let done = Mailbox<Bool>()
    private let thread: NamedThread?

    /// `giveUp` comes on a thread of its own when `ended` has not been called after `seconds`.
    init(seconds: Double, giveUp: @escaping @Sendable () -> Void) {
        let done = done
        let deadline = MonotonicTime.now.advanced(bySeconds: seconds)
        thread = NamedThread(ifPossible: "end-in-time") {
            if done.take(until: deadline).isEmpty { giveUp() }
        }
    }

    func ended() {
        done.post(true)
        thread?.join()
    }
}
