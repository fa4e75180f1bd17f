// SPDX-License-Identifier: Apache-2.0

public import Kernel
internal import Synchronization

/// Runs slow work (large bodies, the catalogue) one job after another on a thread of its own, so that the server's
/// threads stay free. The thread starts with the first job.
public final class BackgroundWorker: Sendable {
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

    private let afterEach: (@Sendable () -> Void)?

    /// `afterEach`: called on the thread when a job is done and all that it held is gone.
    public init(_ name: String, afterEach: (@Sendable () -> Void)? = nil) {
        self.name = name
        self.afterEach = afterEach
    }

    /// False when too much waits already, no thread is to be had, or after `stop`.
    public func submit(_ job: @escaping @Sendable () -> Void) -> Bool {
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

    /// Ends the thread after the job that is running; those that wait are dropped. Returns at once: `stop` waits.
    public func beginStop() {
        let isRunning = state.withLock { state in
            state.isStopped = true
            return state.thread != nil
        }
        if isRunning { jobs.post(nil) }
    }

    /// As `beginStop`, and waits for the job that is running, 0.5 s at most and not beyond `deadline`.
    public func stop(until deadline: MonotonicTime = .now.advanced(bySeconds: 0.5)) {
        beginStop()
        let thread = state.withLock { state in
            defer { state.thread = nil }
            return state.thread
        }
        thread?.join(within: max(0, deadline.seconds(since: .now)))
    }

    private func run() {
        while true {
            var next = Array(jobs.take(until: nil).reversed())
            while !next.isEmpty {
                guard runLast(of: &next) else { return }
                afterEach?()
            }
        }
    }

    /// Of it nothing is left behind. False: the thread is to end.
    @inline(never)
    private func runLast(of jobs: inout [(@Sendable () -> Void)?]) -> Bool {
        guard let job = jobs.removeLast(), !state.withLock({ $0.isStopped }) else { return false }
        job()
        state.withLock { $0.waiting -= 1 }
        return true
    }
}
