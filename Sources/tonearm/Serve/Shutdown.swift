// SPDX-License-Identifier: Apache-2.0

import Kernel

/// Ends parts concurrently, each on its own thread: one that hangs on a disk or a sound server delays no other.
struct Shutdown {
    private let ended = Mailbox<Void>()
    private var running = 0

    /// Returns at once. Without spare threads it ends the part on this thread, so begin with the most urgent part.
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
        // A thread that hangs ends with the process.
        thread.detach()
    }

    /// Waits for all parts that have begun to end.
    /// - Returns: false after the deadline.
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

/// Enforces a time limit for the process's end. Each part has a timeout of its own, but on a disk that hangs these add up.
struct EndInTime {
    private let done = Mailbox<Bool>()
    private let thread: NamedThread?

    /// Calls `giveUp` on its own thread unless `ended` is called within `seconds`.
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
