// SPDX-License-Identifier: Apache-2.0

internal import Service
internal import Glibc
internal import Media
internal import Synchronization
internal import Kernel

/// One media of the cache, shared by those who use it and the cache's thread.
final class CacheEntry: Sendable {
    struct State {
        var facts = CachedFacts()
        /// In the file.
        var written = RangeSet<Int64>()
        /// Of that, on the disk for certain.
        var synced = RangeSet<Int64>()
        var isComplete = false
        /// Its file is gone or goes: nothing may be kept any more.
        var isRemoved = false
        /// Why no more is kept, for as long as it is in use.
        var failure: String?
        /// Open while it is in use.
        var file: CacheFile?
        var followers: [UInt64: @Sendable (Range<Int64>) -> Void] = [:]
        var users = 0
        var used = 0.0
        /// When the server last confirmed that it has this; seconds since 1970.
        var checked = 0.0
        var speed = 0.0
    }

    let id: Int64
    let url: String
    let state: Mutex<State>
    private let directory: String

    init(_ record: CacheJournal.Record, directory: String) {
        id = record.id
        url = record.url
        self.directory = directory
        var state = State()
        state.facts = record.facts
        state.written = RangeSet(record.ranges)
        state.synced = state.written
        state.isComplete = record.isComplete
        state.used = record.used
        state.checked = record.checked
        self.state = Mutex(state)
    }

    var key: String { "c" + String(id, radix: 36) }
    var partialPath: String { "\(directory)/\(key).part" }
    var completePath: String { "\(directory)/\(key).media" }

    var path: String { state.withLock { path($0) } }

    func path(_ state: State) -> String { state.isComplete ? completePath : partialPath }

    /// Its file, by the name that it has or is about to get.
    func open(_ state: State) throws(CacheFileError) -> CacheFile {
        do throws(CacheFileError) {
            return try CacheFile(path(state), creates: state.written.isEmpty)
        } catch  where error.isAbsence && !state.isComplete {
            // Renamed a moment ago, which is reported only afterwards.
            return try CacheFile(completePath, creates: false)
        }
    }

    /// Whether it was not removed before.
    func markRemoved() -> Bool {
        state.withLock { state in
            defer { state.isRemoved = true }
            return !state.isRemoved
        }
    }

    /// Whichever there is.
    func unlinkFiles() {
        unlink(partialPath)
        unlink(completePath)
    }

    /// Gives the complete file its final name, on the cache's thread. Not under the lock, which those take who must not wait
    /// for the disk: a removal of the entry meanwhile may miss the file.
    func publish() -> Bool {
        guard !state.withLock({ $0.isRemoved }), rename(partialPath, completePath) == 0 else { return false }
        let isRemoved = state.withLock { state in
            state.isComplete = true
            return state.isRemoved
        }
        if isRemoved { unlinkFiles() }
        return !isRemoved
    }

    /// The kernel could not write the rest, and does not try again. Returns how many bytes that was.
    func forgetUnsynced() -> Int64 {
        state.withLock { state in
            defer { state.written = state.synced }
            return state.written.count - state.synced.count
        }
    }

    var record: CacheJournal.Record {
        state.withLock { state in
            CacheJournal.Record(
                id: id, url: url, facts: state.facts, ranges: Array(state.written.ranges),
                isComplete: state.isComplete, used: state.used, checked: state.checked)
        }
    }

    var status: CachedEntry {
        state.withLock { state in
            CachedEntry(
                key: key, uri: url, size: state.facts.size?.bytes, ranges: Array(state.written.ranges),
                isComplete: state.isComplete, isInUse: state.users > 0, used: state.used,
                contentType: state.facts.contentType, bytesPerSecond: state.speed.rounded())
        }
    }
}

extension RangeSet<Int64> {
    var count: Int64 { ranges.reduce(0) { $0 + Int64($1.count) } }
}
