// SPDX-License-Identifier: Apache-2.0

import Synchronization
import Threading

/// Runs jobs that may hang (a file on a network mount that is gone) one after another: one that takes too long is
/// reported and left to itself, and the next one gets a new thread. Nothing can end a thread that is stuck in the kernel.
final class SupervisedWorker: Sendable {
    /// Threads left behind; with this many, jobs are refused until one returns.
    static let maximumStuck = 8

    private let name: String
    private let seconds: Double
    /// Hands a job to the executor and waits for it.
    private let supervisor: BackgroundWorker
    private let state = Mutex(State())

    private struct State {
        var executor: Mailbox<(@Sendable () -> Void)?>?
        /// Ends the wait for the job under way.
        var wait: Mailbox<Bool>?
        var stuck = 0
        var isStopped = false
    }

    init(_ name: String, seconds: Double = 30) {
        self.name = name
        self.seconds = seconds
        supervisor = BackgroundWorker(name + "-watch")
    }

    /// False when too much waits or hangs already, or after `stop`. `overdue` comes instead of the end of `job`, or
    /// before it.
    func submit(_ job: @escaping @Sendable () -> Void, overdue: @escaping @Sendable () -> Void) -> Bool {
        guard state.withLock({ $0.stuck < Self.maximumStuck }) else { return false }
        return supervisor.submit { [self] in run(job, overdue) }
    }

    /// Ends the threads; does not wait for those that hang.
    func stop() {
        state.withLock { state in
            state.isStopped = true
            state.wait?.post(false)
        }
        supervisor.stop()
        state.withLock { state in
            state.executor?.post(nil)
            state.executor = nil
        }
    }

    /// On the supervisor's thread.
    private func run(_ job: @escaping @Sendable () -> Void, _ overdue: @Sendable () -> Void) {
        let done = Mailbox<Bool>()
        let executor = state.withLock { state -> Mailbox<(@Sendable () -> Void)?>? in
            guard !state.isStopped, state.stuck < Self.maximumStuck else { return nil }
            state.wait = done
            let executor = state.executor ?? startExecutor()
            state.executor = executor
            return executor
        }
        guard let executor else { return overdue() }
        executor.post { [self] in
            job()
            if !done.post(true) { state.withLock { $0.stuck -= 1 } }
        }
        if done.take(until: .now.advanced(bySeconds: seconds)).first == true { return }
        // Whether it ends just now or later is decided here.
        guard !done.close().contains(true) else { return }
        state.withLock { state in
            state.stuck += 1
            state.executor = nil
            state.wait = nil
        }
        executor.post(nil)
        overdue()
    }

    /// nil when there can be no more threads.
    private func startExecutor() -> Mailbox<(@Sendable () -> Void)?>? {
        let jobs = Mailbox<(@Sendable () -> Void)?>()
        let thread = NamedThread(ifPossible: name) {
            while true {
                for job in jobs.take(until: nil) {
                    guard let job else { return }
                    job()
                }
            }
        }
        guard let thread else { return nil }
        thread.detach()
        return jobs
    }
}
