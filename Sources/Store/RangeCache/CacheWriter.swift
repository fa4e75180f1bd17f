// SPDX-License-Identifier: Apache-2.0

internal import Kernel
internal import Logging
internal import Media
internal import Synchronization

enum CacheJob: Sendable {
    case write(CacheEntry, CacheFile, Int64, [UInt8])
    /// The facts or the use of the entry changed.
    case changed(CacheEntry)
    /// A source released the entry, after all its writes.
    case released(CacheEntry)
    case removed(CacheEntry)
    /// Enforces the size limit.
    case trim
    case wait(CacheWaiter)
    case stop
}

/// The loop of the cache's thread, the only one that writes.
///
/// `@unchecked Sendable` because one thread creates it and one other thread uses it, as `owner` checks.
final class CacheWriter: @unchecked Sendable {
    /// The journal is written after this many seconds or bytes.
    private static let saveEvery = 1.0
    private static let saveAfter: Int64 = 4 << 20
    private static let reportInterval = 0.1
    /// Seconds over which the speed is measured.
    private static let speedSpan = 1.0

    private var owner = OwningThread()
    private let jobs: Mailbox<CacheJob>
    private let journal: CacheJournal
    /// Weak, because the thread must not keep the cache alive.
    private let handle: Weak<RangeCache>
    private let configuration: RangeCache.Configuration
    private let log: Logger

    /// Entries that differ from the journal, and the files with their new bytes.
    private var dirty: [Int64: (entry: CacheEntry, file: CacheFile?)] = [:]
    private var removed: [Int64] = []
    private var unsaved: Int64 = 0
    private var total: Int64 = 0
    private var savedAt = MonotonicTime.now
    private var reportedAt = MonotonicTime.now
    private var isNews = false
    private var meters: [Int64: (entry: CacheEntry, bytes: Int64, since: MonotonicTime)] = [:]
    private var problem: String?
    private var waiters: [CacheWaiter] = []

    init(
        _ jobs: Mailbox<CacheJob>, _ journal: CacheJournal, _ handle: Weak<RangeCache>,
        _ configuration: RangeCache.Configuration, _ log: Logger
    ) {
        self.jobs = jobs
        self.journal = journal
        self.handle = handle
        self.configuration = configuration
        self.log = log
    }

    func run() {
        var isStopping = false
        while !isStopping {
            for job in jobs.take(until: wakeUp) {
                switch job {
                case .write(let entry, let file, let offset, let bytes):
                    write(bytes, at: offset, of: entry, file)
                    handle.value?.written(bytes.count)
                case .changed(let entry): note(entry, nil)
                case .released(let entry):
                    note(entry, nil)
                    let isNothing = entry.state.withLock { $0.users == 0 && $0.written.isEmpty && !$0.isRemoved }
                    if isNothing { handle.value?.forget(entry) }
                case .removed(let entry):
                    entry.unlinkFiles()
                    remove(entry)
                case .trim:
                    total = handle.value?.status().bytes ?? 0
                    _ = makeRoom(0, for: nil)
                case .wait(let waiter): waiters.append(waiter)
                case .stop: isStopping = true
                }
            }
            let now = MonotonicTime.now
            if isStopping || unsaved >= Self.saveAfter || now.seconds(since: savedAt) >= Self.saveEvery { save() }
            measure(now)
            serveWaiters(now, isEnding: isStopping)
            if isNews, isStopping || now.seconds(since: reportedAt) >= Self.reportInterval {
                isNews = false
                reportedAt = now
                handle.value?.report(bytes: total)
            }
        }
    }

    private var wakeUp: MonotonicTime? {
        var times = waiters.map(\.deadline)
        if !dirty.isEmpty || !removed.isEmpty { times.append(savedAt.advanced(bySeconds: Self.saveEvery)) }
        if isNews { times.append(reportedAt.advanced(bySeconds: Self.reportInterval)) }
        if let since = meters.values.map(\.since).min() { times.append(since.advanced(bySeconds: Self.speedSpan)) }
        return times.min()
    }

    /// Calls the waiters that are due; all if `isEnding`.
    private func serveWaiters(_ now: MonotonicTime, isEnding: Bool) {
        let first = waiters.partition { isEnding || $0.deadline <= now || $0.isOver }
        let due = waiters[first...]
        waiters.removeSubrange(first...)
        for waiter in due {
            handle.value?.waiters.subtract(1, ordering: .relaxed)
            waiter.call()
        }
    }

    // MARK: Writing

    private func write(_ bytes: [UInt8], at offset: Int64, of entry: CacheEntry, _ file: CacheFile) {
        owner.check()
        let range = offset..<offset + Int64(bytes.count)
        let known = entry.state.withLock { state in
            state.isRemoved || state.failure != nil ? nil : state.written.intersection(RangeSet(range)).count
        }
        guard let known, known < Int64(bytes.count) else { return }
        let added = Int64(bytes.count) - known
        guard makeRoom(added, for: entry) else { return }
        do throws(CacheFileError) {
            try file.write(bytes, at: offset)
        } catch {
            return fail(entry, error.text)
        }
        let followers = entry.state.withLock { state in
            state.written.insert(contentsOf: range)
            return Array(state.followers.values)
        }
        for follower in followers { follower(range) }
        total += added
        unsaved += added
        note(entry, file)
        let meter = meters[entry.id] ?? (entry, 0, .now)
        meters[entry.id] = (entry, meter.bytes + added, meter.since)
    }

    private func note(_ entry: CacheEntry, _ file: CacheFile?) {
        if dirty.isEmpty, removed.isEmpty { savedAt = .now }
        dirty[entry.id] = (entry, file ?? dirty[entry.id]?.file)
        isNews = true
    }

    /// Stops writing the entry until it is leased again.
    private func fail(_ entry: CacheEntry, _ reason: String) {
        entry.state.withLock { $0.failure = reason }
        reportProblem(reason)
    }

    private func reportProblem(_ reason: String?) {
        guard problem != reason else { return }
        problem = reason
        handle.value?.index.withLock { $0.problem = reason }
        isNews = true
        if let reason { log.warning("the cache in \(configuration.directory) stores no more: \(reason)") }
    }

    /// Drops the least recently used entries, but none in use. Returns false if that does not suffice.
    private func makeRoom(_ count: Int64, for entry: CacheEntry?) -> Bool {
        while total + count > configuration.limit {
            let victim = handle.value?.index.withLock { index -> CacheEntry? in
                let free = index.entries.values.filter { candidate in
                    candidate !== entry && candidate.state.withLock { $0.users == 0 }
                }
                let oldest = free.min { one, two in
                    one.state.withLock { $0.used } < two.state.withLock { $0.used }
                }
                if let oldest { index.entries[oldest.url] = nil }
                return oldest
            }
            guard let victim else { return false }
            handle.value?.drop(victim)
            remove(victim)
        }
        return true
    }

    /// Idempotent.
    private func remove(_ entry: CacheEntry) {
        guard !removed.contains(entry.id) else { return }
        if dirty.isEmpty, removed.isEmpty { savedAt = .now }
        let bytes = entry.state.withLock { state in
            defer { state.written = RangeSet() }
            return state.written.count
        }
        total -= bytes
        dirty[entry.id] = nil
        meters[entry.id] = nil
        removed.append(entry.id)
        isNews = true
    }

    // MARK: The journal

    /// Syncs the bytes first, then writes the journal, so that its ranges survive a power cut.
    private func save() {
        guard !dirty.isEmpty || !removed.isEmpty else { return }
        savedAt = .now
        unsaved = 0
        var records: [CacheJournal.Record] = []
        var finished: [CacheEntry] = []
        var isFailed = false
        for (entry, file) in dirty.values {
            var record = entry.record
            if let file {
                do throws(CacheFileError) {
                    try file.sync(configuration.sync)
                    entry.state.withLock { $0.synced = RangeSet(record.ranges) }
                } catch {
                    isFailed = true
                    total -= entry.forgetUnsynced()
                    fail(entry, error.text)
                    record = entry.record
                }
            }
            if !record.isComplete, let size = record.facts.size, record.ranges == [0..<size.bytes] {
                record.isComplete = true
                finished.append(entry)
            }
            // Entries without bytes are not saved.
            if !record.ranges.isEmpty { records.append(record) }
        }
        do {
            try journal.save(records, removing: removed)
        } catch {
            // Retried a second later, with further changes.
            reportProblem("\(error)")
            return
        }
        dirty = [:]
        removed = []
        if !isFailed, !records.isEmpty { reportProblem(nil) }
        // Only complete files get the final name.
        for entry in finished where entry.publish() { isNews = true }
    }

    private func measure(_ now: MonotonicTime) {
        for (id, meter) in meters {
            let seconds = now.seconds(since: meter.since)
            guard seconds >= Self.speedSpan - 0.001 else { continue }
            meter.entry.state.withLock { $0.speed = Double(meter.bytes) / seconds }
            meters[id] = meter.bytes == 0 ? nil : (meter.entry, 0, now)
            isNews = true
        }
    }
}

/// A client that waits for bytes that are still being downloaded.
struct CacheWaiter: Sendable {
    let entry: CacheEntry
    let offset: Int64
    /// The number of bytes to wait for.
    let count: Int64
    let deadline: MonotonicTime
    let call: @Sendable () -> Void

    /// Enough bytes are available, or no more will arrive.
    var isOver: Bool {
        entry.state.withLock { state in
            if state.isRemoved || state.isComplete || state.users == 0 || state.failure != nil { return true }
            let end = state.written.ranges.first { $0.contains(offset) }?.upperBound ?? offset
            return end - offset >= count || end == state.facts.size?.bytes
        }
    }
}
