// SPDX-License-Identifier: Apache-2.0

public import Kernel

/// Runs long jobs (large bodies, the catalogue) off the server's threads: a few concurrently, on threads that start
/// when needed and end when idle.
///
/// Jobs that may hang (a slow server, a lost network mount) have a time limit. A job that exceeds it is reported and
/// abandoned, and another thread takes its place, as nothing can end a thread that is stuck in the kernel.
public final class SupervisedWorker: Sendable {
    /// Abandoned threads; at this number, jobs are refused until one returns.
    static let maximumStuck = 8
    /// Waiting jobs; further ones are refused.
    static let maximumWaiting = 64
    /// Seconds between checks whether the callers of running jobs still wait.
    static let lookSeconds = 0.5
    /// Seconds for which an idle thread is kept.
    static let idleSeconds = 10.0

    struct Job: Sendable {
        var shares: [JobShare] = []
        /// Whether the caller no longer waits for the result. Any thread; must not block.
        var isUnwanted: @Sendable () -> Bool = { false }
        var run: @Sendable () -> Void
        /// The job will not run, or its result is not needed: called once, before or instead of the end of `run`.
        var giveUp: @Sendable (Reason) -> Void = { _ in }
    }

    enum Reason: Sendable { case overdue, unwanted, stopped }

    private struct Active {
        let job: Job
        let deadline: MonotonicTime?
        var isGivenUp = false
    }

    private struct State {
        var schedule: JobSchedule<Job>
        var active: [UInt64: Active] = [:]
        /// Running and idle threads, without the abandoned ones.
        var threads = 0
        var stuck = 0
        var hasWatch = false
        var isStopped = false

        var hasJobs: Bool { !active.isEmpty || !schedule.waiting.isEmpty }
    }

    private let name: String
    /// The subject of messages about a timeout: "The file system".
    let subject: String
    private let seconds: Double?
    private let afterEach: (@Sendable () -> Void)?
    private let state: Monitor<State>

    /// - Parameters:
    ///   - subject: what the jobs wait for, for messages.
    ///   - seconds: the time limit of a job; nil for none.
    ///   - width: jobs at the same time.
    ///   - afterEach: called on the thread after each job, when everything that the job held is released.
    public init(
        _ name: String, subject: String = "The file system", seconds: Double? = 30, width: Int = 1,
        afterEach: (@Sendable () -> Void)? = nil
    ) {
        self.name = name
        self.subject = subject
        self.seconds = seconds
        self.afterEach = afterEach
        state = Monitor(State(schedule: JobSchedule(width: width, maximumWaiting: Self.maximumWaiting)))
    }

    /// Submits a job that is dropped if the worker stops before it runs. False as below.
    public func submit(_ run: @escaping @Sendable () -> Void) -> Bool { submit(Job(run: run)) }

    /// False if too many jobs wait or hang, if there is no thread, or after `stop`.
    func submit(_ job: Job) -> Bool {
        state.change { state in
            guard !state.isStopped, state.stuck < Self.maximumStuck, startWatch(&state),
                state.schedule.add(job, job.shares)
            else { return false }
            summon(&state)
            // No thread is available: the next job tries again.
            guard state.threads > 0 else {
                if let id = state.schedule.waiting.last?.id { _ = state.schedule.withdraw(id) }
                return false
            }
            return true
        }
    }

    /// Drops the waiting jobs and abandons the running ones. Returns at once; `stop` waits.
    public func beginStop() {
        let jobs = state.change { state in
            state.isStopped = true
            var jobs = Self.withdrawAll(&state)
            for (id, active) in state.active where !active.isGivenUp {
                state.active[id]?.isGivenUp = true
                jobs.append(active.job)
            }
            return jobs
        }
        for job in jobs { job.giveUp(.stopped) }
    }

    /// As `beginStop`, and waits for the running jobs, 0.5 s at most and not beyond `deadline`.
    public func stop(until deadline: MonotonicTime = .now.advanced(bySeconds: 0.5)) {
        beginStop()
        _ = state.wait(until: deadline) { $0.active.isEmpty ? () : nil }
    }

    // MARK: Working threads

    /// Starts a thread if a job is ready and no thread is idle; idle threads notice the job themselves.
    private func summon(_ state: inout State) {
        guard state.schedule.hasReady, state.threads == state.active.count, state.threads < state.schedule.width,
            let thread = NamedThread(ifPossible: name, { [self] in run() })
        else { return }
        thread.detach()
        state.threads += 1
    }

    private func run() {
        while runNext() { afterEach?() }
    }

    /// Not inlined, so that nothing of the job stays on the stack. False: the thread is to end.
    @inline(never)
    private func runNext() -> Bool {
        guard let entry = next() else { return false }
        if entry.job.isUnwanted() { giveUp(entry.id) } else { entry.job.run() }
        return end(entry)
    }

    /// Waits for a job. nil: the thread is to end, as it was idle for too long, or at the stop.
    private func next() -> JobSchedule<Job>.Entry? {
        let deadline = MonotonicTime.now.advanced(bySeconds: Self.idleSeconds)
        let entry = state.wait(until: deadline) { state -> JobSchedule<Job>.Entry?? in
            if !state.isStopped, let entry = state.schedule.begin() {
                let limit = seconds.map { MonotonicTime.now.advanced(bySeconds: $0) }
                state.active[entry.id] = Active(job: entry.job, deadline: limit)
                summon(&state)
                return entry
            }
            guard state.isStopped || .now >= deadline else { return nil }
            state.threads -= 1
            return .some(nil)
        }
        return entry ?? nil
    }

    /// False for an abandoned thread, which was replaced.
    private func end(_ entry: JobSchedule<Job>.Entry) -> Bool {
        state.change { state in
            guard state.active.removeValue(forKey: entry.id) != nil else {
                state.stuck -= 1
                return false
            }
            state.schedule.end(entry.shares)
            return true
        }
    }

    private func giveUp(_ id: UInt64) {
        let job = state.withLock { state -> Job? in
            guard let active = state.active[id], !active.isGivenUp else { return nil }
            state.active[id]?.isGivenUp = true
            return active.job
        }
        job?.giveUp(.unwanted)
    }

    // MARK: The watching thread

    private func startWatch(_ state: inout State) -> Bool {
        guard seconds != nil, !state.hasWatch else { return true }
        guard let thread = NamedThread(ifPossible: name + "-watch", { [self] in runWatch() }) else { return false }
        thread.detach()
        state.hasWatch = true
        return true
    }

    private func runWatch() {
        while waitForJobs() {
            let now = MonotonicTime.now
            let (overdue, others, first) = state.change { look(&$0, now) }
            for job in overdue { job.giveUp(.overdue) }
            for (id, job) in others where job.isUnwanted() { drop(id) }
            let next = now.advanced(bySeconds: Self.lookSeconds)
            _ = state.wait(until: min(first ?? next, next)) { $0.isStopped ? () : nil }
        }
    }

    /// Blocks while there are no jobs. False at the stop.
    private func waitForJobs() -> Bool {
        state.wait { state in
            if state.isStopped { return false }
            return state.hasJobs ? true : nil
        }
    }

    /// Abandons the overdue jobs. Returns them, all other jobs, and the deadline of the first.
    private func look(
        _ state: inout State, _ now: MonotonicTime
    ) -> (overdue: [Job], others: [(UInt64, Job)], first: MonotonicTime?) {
        var overdue: [Job] = []
        for (id, active) in state.active where active.deadline.map({ $0 <= now }) ?? false {
            state.active[id] = nil
            state.schedule.end(active.job.shares)
            state.threads -= 1
            state.stuck += 1
            if !active.isGivenUp { overdue.append(active.job) }
        }
        // The waiting jobs would hang as well.
        if state.stuck >= Self.maximumStuck { overdue += Self.withdrawAll(&state) }
        // Also if no thread was available the last time.
        summon(&state)
        let others =
            state.active.filter { !$0.value.isGivenUp }.map { ($0.key, $0.value.job) }
            + state.schedule.waiting.map { ($0.id, $0.job) }
        return (overdue, others, state.active.values.compactMap(\.deadline).min())
    }

    private static func withdrawAll(_ state: inout State) -> [Job] {
        var jobs: [Job] = []
        while let id = state.schedule.waiting.first?.id, let entry = state.schedule.withdraw(id) {
            jobs.append(entry.job)
        }
        return jobs
    }

    private func drop(_ id: UInt64) {
        if let entry = state.withLock({ $0.schedule.withdraw(id) }) {
            entry.job.giveUp(.unwanted)
        } else {
            giveUp(id)
        }
    }
}
