// SPDX-License-Identifier: Apache-2.0

public import Service
internal import FoundationEssentials
internal import Glibc
public import Logging
public import Media
internal import Synchronization
internal import Kernel

/// Caches downloads in sparse files, with a journal of their ranges in SQLite.
///
/// Only the cache's own thread writes. Sources hand bytes over without waiting; bytes that exceed the backlog of a slow disk are
/// dropped, and the music plays on.
public final class RangeCache: MediaCache, CacheKeeper {
    public struct Configuration: Sendable {
        public var directory: String
        /// Bytes.
        public var limit: Int64
        /// Query parameters that do not distinguish media; nil for the usual ones.
        public var ignoredParameters: [String]?
        /// Replaced by tests.
        var sync: @Sendable (Int32) -> Int32 = { fdatasync($0) }

        public init(directory: String, limit: Int64, ignoredParameters: [String]?) {
            self.directory = directory
            self.limit = limit
            self.ignoredParameters = ignoredParameters
        }
    }

    /// Bytes that may wait for the disk.
    static let largestBacklog = 8 << 20
    /// Further clients do not wait, but get the available bytes.
    static let mostWaiters = 64

    struct Index {
        var entries: [String: CacheEntry] = [:]
        var lastID: Int64 = 0
        var lastLease: UInt64 = 0
        var problem: String?
    }

    let configuration: Configuration
    let index: Mutex<Index>
    private let key: CacheKey
    private let jobs = Mailbox<CacheJob>()
    private let backlog = Atomic(0)
    /// The number of waiting clients.
    let waiters = Atomic(0)
    private let published = Published<Void, CacheStatus>(())
    private let thread: NamedThread
    private let isStopped = Atomic(false)

    /// Creates or opens the directory and starts the thread. Drops a damaged journal, and files that contradict it.
    public init(_ configuration: Configuration, log: Logger) throws(CacheOpenError) {
        self.configuration = configuration
        key = CacheKey(ignoring: configuration.ignoredParameters ?? CacheKey.usuallyIgnored)
        let (journal, entries) = try CacheOpening.open(configuration.directory, log)
        index = Mutex(
            Index(
                entries: Dictionary(uniqueKeysWithValues: entries.map { ($0.url, $0) }),
                lastID: entries.map(\.id).max() ?? 0))
        let handle = Weak<RangeCache>()
        let writer = CacheWriter(jobs, journal, handle, configuration, log)
        thread = NamedThread("cache") { writer.run() }
        handle.value = self
        jobs.post(.trim)
    }

    /// The cache's thread calls `handler` with the entries in use, at most ten times a second, and always with the last state.
    public func observe(_ handler: @escaping @Sendable (CacheStatus) -> Void) { published.observe(handler) }

    /// Writes the backlog and ends the thread. Waits at most 0.5 s for a disk that hangs, as the bytes can be downloaded again.
    /// Idempotent.
    public func stop() {
        guard !isStopped.exchange(true, ordering: .acquiringAndReleasing) else { return }
        jobs.post(.stop)
        thread.join(within: 0.5)
    }

    // MARK: For sources

    public func find(_ address: WebAddress) -> (any CachedMedia)? {
        index.withLock { $0.entries[key.name(address)] }.flatMap(lease)
    }

    public func make(_ address: WebAddress) -> (any CachedMedia)? {
        let url = key.name(address)
        let entry = index.withLock { index in
            if let entry = index.entries[url] { return entry }
            index.lastID += 1
            let entry = CacheEntry(
                CacheJournal.Record(id: index.lastID, url: url, used: Self.now), directory: configuration.directory)
            index.entries[url] = entry
            return entry
        }
        return lease(entry)
    }

    private func lease(_ entry: CacheEntry) -> (any CachedMedia)? {
        let number = index.withLock { index in
            index.lastLease += 1
            return index.lastLease
        }
        let (file, isLost) = entry.state.withLock { state -> (CacheFile?, isLost: Bool) in
            guard !state.isRemoved else { return (nil, false) }
            do throws(CacheFileError) {
                if state.file == nil { state.file = try entry.open(state) }
                state.users += 1
                state.used = Self.now
                state.failure = nil
                return (state.file, false)
            } catch {
                state.failure = error.text
                // A file that cannot be opened now, for example for lack of descriptors, is kept.
                return (nil, error.isAbsence || state.written.isEmpty)
            }
        }
        guard let file else {
            if isLost { forget(entry) }
            return nil
        }
        jobs.post(.changed(entry))
        return CacheLease(entry, file, self, number: number)
    }

    func changed(_ entry: CacheEntry) { jobs.post(.changed(entry)) }

    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64, of entry: CacheEntry, _ file: CacheFile) {
        guard !bytes.isEmpty,
            backlog.add(bytes.count, ordering: .relaxed).newValue <= Self.largestBacklog
        else {
            backlog.subtract(bytes.count, ordering: .relaxed)
            return
        }
        if !jobs.post(.write(entry, file, offset, Array(bytes))) { backlog.subtract(bytes.count, ordering: .relaxed) }
    }

    func written(_ count: Int) { backlog.subtract(count, ordering: .relaxed) }

    func release(_ entry: CacheEntry, _ number: UInt64) {
        entry.state.withLock { state in
            state.followers[number] = nil
            state.users -= 1
            state.used = Self.now
            if state.users == 0 { state.file = nil }
        }
        jobs.post(.released(entry))
    }

    /// Does not wait for the disk: the cache's thread removes the file.
    func forget(_ entry: CacheEntry) {
        index.withLock { index in
            if index.entries[entry.url] === entry { index.entries[entry.url] = nil }
        }
        if entry.markRemoved() { jobs.post(.removed(entry)) }
    }

    /// Deletes the file at once; the row follows. The next start drops a row without a file.
    func drop(_ entry: CacheEntry) {
        guard entry.markRemoved() else { return }
        entry.unlinkFiles()
        jobs.post(.removed(entry))
    }

    // MARK: For clients

    public func status() -> CacheStatus {
        let (entries, problem) = index.withLock { (Array($0.entries.values), $0.problem) }
        let all = entries.map(\.status).sorted { $0.used > $1.used }
        return CacheStatus(
            limit: configuration.limit, bytes: all.reduce(0) { $0 + $1.bytes }, count: all.count, entries: all,
            problem: problem)
    }

    public func remove(_ key: String) throws(CacheError) {
        let entry = try entry(key)
        let isRemoved = index.withLock { index in
            guard entry.state.withLock({ $0.users == 0 }) else { return false }
            index.entries[entry.url] = nil
            return true
        }
        guard isRemoved else { throw .inUse }
        drop(entry)
    }

    public func removeAll() -> (removed: Int, kept: Int) {
        let (gone, kept) = index.withLock { index in
            let gone = index.entries.values.filter { $0.state.withLock { $0.users == 0 } }
            for entry in gone { index.entries[entry.url] = nil }
            return (gone, index.entries.count)
        }
        for entry in gone { drop(entry) }
        return (gone.count, kept)
    }

    public func open(_ key: String) throws(CacheError) -> (descriptor: Int32, entry: CachedEntry) {
        let entry = try entry(key)
        let status = entry.status
        for path in [entry.completePath, entry.partialPath] {
            let descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
            if descriptor >= 0 { return (descriptor, status) }
        }
        throw .unreadable(String(cString: strerror(errno)))
    }

    public func wait(
        for key: String, at offset: Int64, count: Int64, seconds: Double, _ call: @escaping @Sendable () -> Void
    ) -> Bool {
        guard let entry = find(key) else { return false }
        let deadline = MonotonicTime.now.advanced(bySeconds: seconds)
        let waiter = CacheWaiter(entry: entry, offset: offset, count: count, deadline: deadline, call: call)
        let count = waiters.add(1, ordering: .relaxed).newValue
        if count <= Self.mostWaiters, jobs.post(.wait(waiter)) { return true }
        waiters.subtract(1, ordering: .relaxed)
        return false
    }

    private func find(_ key: String) -> CacheEntry? {
        index.withLock { $0.entries.values.first { $0.key == key } }
    }

    private func entry(_ key: String) throws(CacheError) -> CacheEntry {
        guard let entry = find(key) else { throw .unknown }
        return entry
    }

    /// Reports the entries in use. `bytes`: the size of all entries.
    func report(bytes: Int64) {
        let (inUse, count, problem) = index.withLock { index in
            let inUse = index.entries.values.filter { $0.state.withLock { $0.users > 0 } }
            return (inUse, index.entries.count, index.problem)
        }
        published.notify(
            CacheStatus(
                limit: configuration.limit, bytes: bytes, count: count, entries: inUse.map(\.status), problem: problem))
    }

    /// Seconds since 1970.
    static var now: Double { Date.now.timeIntervalSince1970 }
}
