// SPDX-License-Identifier: Apache-2.0

import Synchronization
import Threading

/// Runs what takes time (large bodies, opening media) one after another on a thread of its own, so that the server's
/// threads stay free. The thread starts with the first job.
final class BackgroundWorker: Sendable {
    /// Jobs that may wait; further ones are refused.
    static let maximumWaiting = 64

    private struct State {
        var waiting = 0
        var isStopped = false
        var thread: NamedThread?
    }

    private let name: String
    private let jobs = Mailbox<(@Sendable () -> Void)?>()
    private let state = Mutex(State())

    init(_ name: String) {
        self.name = name
    }

    /// False when too much waits already, no thread is to be had, or after `stop`.
    func submit(_ job: @escaping @Sendable () -> Void) -> Bool {
        state.withLock { state in
            guard !state.isStopped, state.waiting < Self.maximumWaiting else { return false }
            // None where the machine lets us have no more threads: tried again with the next job.
            if state.thread == nil { state.thread = NamedThread(ifPossible: name) { [self] in run() } }
            guard state.thread != nil else { return false }
            state.waiting += 1
            jobs.post(job)
            return true
        }
    }

    /// Ends the thread after the job that is running, which is waited for 0.5 s; those that wait are dropped.
    func stop() {
        let thread = state.withLock { state in
            state.isStopped = true
            defer { state.thread = nil }
            return state.thread
        }
        guard let thread else { return }
        jobs.post(nil)
        thread.join(within: 0.5)
    }

    private func run() {
        while true {
            for job in jobs.take(until: nil) {
                guard let job, !state.withLock({ $0.isStopped }) else { return }
                job()
                state.withLock { $0.waiting -= 1 }
            }
        }
    }
}
