// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import Kernel
public import Playback

/// Renders items to files, one job after another, on a thread of low priority: a handle for any thread. Needs no
/// output.
public final class Renders: Sendable {
    struct Environment {
        let opener: any MediaOpener
        let conversion: any SampleRateConversion
        let stretching: any TimeStretching
        let store: any RecordingStore
        let clock: any PlayerClock
    }

    /// Jobs of all players, including completed ones; this bounds the used disk space.
    public static let limit = 16
    /// Seconds between two events about progress alone.
    private static let eventInterval = 1.0

    private struct Entry: Sendable {
        var job: RenderJob
        let cancellation = MediaCancellation()
    }

    private let environment: Environment
    private let entries = Published<[Entry], String>([])
    private let worker = SupervisedWorker("renders", seconds: nil, afterEach: { Heap.giveBack() })

    /// `store`: contains only these files; empty at the start.
    public init(
        opener: any MediaOpener, conversion: any SampleRateConversion, stretching: any TimeStretching,
        store: any RecordingStore, clock: any PlayerClock
    ) {
        environment = Environment(
            opener: opener, conversion: conversion, stretching: stretching, store: store, clock: clock)
    }

    /// In the order of their creation.
    public func jobs(of player: String) -> [RenderJob] { entries.value.map(\.job).filter { $0.player == player } }

    func job(_ id: String, of player: String) throws(Problem) -> RenderJob {
        try jobs(of: player).first { $0.id == id }.orThrow(.unknownRender(id))
    }

    /// `observer` is called with the player's id after a change of `jobs`; it must not block.
    public func observe(_ observer: @escaping @Sendable (_ player: String) -> Void) { entries.observe(observer) }

    func add(_ plan: RenderPlan, of player: String) throws(Problem) -> RenderJob {
        let now = environment.clock.wallMilliseconds
        var added: Entry?
        entries.change { entries in
            guard entries.count < Self.limit else { return nil }
            // Never an id of an earlier run of the server.
            let last = entries.last.flatMap { Int64($0.job.id.dropFirst(), radix: 36) } ?? 0
            let entry = Entry(
                job: RenderJob(
                    id: "r" + String(max(now, last + 1), radix: 36), player: player, container: plan.container,
                    hasEffects: plan.hasEffects, created: now))
            added = entry
            entries.append(entry)
            return player
        }
        guard let added else {
            throw Problem(.tooMany, "too-many-renders", "There are \(Self.limit) renders; delete one.")
        }
        let isTaken = worker.submit { [self] in run(added, plan) }
        guard isTaken else {
            forget(added.job)
            throw .busy("Nothing can be rendered now.")
        }
        return added.job
    }

    /// Cancels the job if it is still running. Blocks on the disk.
    func remove(_ job: RenderJob) throws(RecordingError) {
        if let file = forget(job) { try environment.store.delete(file) }
    }

    /// Opens the file for reading; the caller closes the descriptor. Blocks on the disk.
    func open(_ file: RenderJob.File) throws(RecordingError) -> (descriptor: Int32, size: UInt64) {
        try environment.store.open(file.name)
    }

    /// For the bus: the jobs of a removed player are removed too.
    public func receive(_ change: PlayerChange, of player: HostedPlayer) {
        guard case .dismissed = change else { return }
        let files = jobs(of: player.id).compactMap { forget($0) }
        guard !files.isEmpty else { return }
        // Files that are not deleted now are deleted at the next start.
        _ = worker.submit { [environment] in
            for file in files { do throws(RecordingError) { try environment.store.delete(file) } catch {} }
        }
    }

    /// Cancels everything and waits for the thread, 0.5 s at most.
    public func shutdown() {
        worker.beginStop()
        for entry in entries.value { entry.cancellation.cancel() }
        worker.stop()
    }

    /// - Returns: its file, which the caller must delete.
    @discardableResult
    private func forget(_ job: RenderJob) -> String? {
        var found: Entry?
        entries.change { entries in
            guard let index = entries.firstIndex(where: { $0.job.id == job.id }) else { return nil }
            found = entries.remove(at: index)
            return job.player
        }
        found?.cancellation.cancel()
        return found?.job.file?.name
    }

    // MARK: The thread

    private func run(_ entry: Entry, _ plan: RenderPlan) {
        let id = entry.job.id
        guard change(id, { $0.status = .running }) else { return }
        NamedThread.yieldToOthers()
        var lastEvent = MonotonicTime.now
        let run = RenderRun(
            id, plan, environment, entry.cancellation,
            report: { [self] progress in
                let now = MonotonicTime.now
                let isEvent = now.seconds(since: lastEvent) >= Self.eventInterval
                if isEvent { lastEvent = now }
                change(id, isEvent: isEvent) { $0.progress = progress }
            },
            // Reported with the next event.
            skip: { [self] index, fault in
                change(id, isEvent: false) { $0.skipped.add(RenderJob.Skipped(index: index, fault: fault)) }
            })
        do throws(RenderJob.Fault) {
            let (file, duration) = try run.perform()
            complete(id, file, duration)
        } catch {
            change(id) { job in
                job.status = .failed
                job.fault = error
            }
        }
    }

    private func complete(_ id: String, _ name: String, _ duration: Double) {
        do throws(RecordingError) {
            let file = RenderJob.File(
                name: name, size: try size(of: name), duration: duration, completed: environment.clock.wallMilliseconds)
            let isWanted = change(id) { job in
                job.status = .completed
                job.progress = 1
                job.file = file
            }
            if !isWanted { try environment.store.delete(name) }
        } catch {
            change(id) { job in
                job.status = .failed
                job.fault = RenderJob.Fault(code: "write-error", message: error.sentence)
            }
        }
    }

    private func size(of name: String) throws(RecordingError) -> UInt64 {
        let (descriptor, size) = try environment.store.open(name)
        close(descriptor)
        return size
    }

    /// False if the job was removed.
    @discardableResult
    private func change(_ id: String, isEvent: Bool = true, _ body: (inout RenderJob) -> Void) -> Bool {
        var isThere = false
        entries.change { entries in
            guard let index = entries.firstIndex(where: { $0.job.id == id }) else { return nil }
            isThere = true
            body(&entries[index].job)
            return isEvent ? entries[index].job.player : nil
        }
        return isThere
    }
}
