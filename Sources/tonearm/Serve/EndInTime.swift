// SPDX-License-Identifier: Apache-2.0

import Kernel

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
