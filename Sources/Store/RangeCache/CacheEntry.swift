// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import Kernel
internal import Media
internal import Service
internal import Synchronization

/// A cached media, shared by its sources and the cache's thread.
final class CacheEntry: Sendable {
    struct State {
        var facts = CachedFacts()
        /// Written to the file.
        var written = RangeSet<Int64>()
        /// The part of `written` that is on the disk.
        var synced = RangeSet<Int64>()
        var isComplete = false
        /// The file is being deleted: nothing may be written any more.
        var isRemoved = false
        /// Why nothing more is written, as long as the entry is in use.
        var failure: String?
        /// Open while the entry is in use.
        var file: CacheFile?
        var followers: [UInt64: @Sendable (Range<Int64>) -> Void] = [:]
        var users = 0
        var used = 0.0
        /// When the server last confirmed this version; seconds since 1970.
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

    /// Opens the file, by its current name or the one that it is about to get.
    func open(_ state: State) throws(CacheFileError) -> CacheFile {
        do throws(CacheFileError) {
            return try CacheFile(path(state), creates: state.written.isEmpty)
        } catch  where error.isAbsence && !state.isComplete {
            // Renamed by `publish`, which sets `isComplete` afterwards.
            return try CacheFile(completePath, creates: false)
        }
    }

    /// Returns false if the entry was removed before.
    func markRemoved() -> Bool {
        state.withLock { state in
            defer { state.isRemoved = true }
            return !state.isRemoved
        }
    }

    func unlinkFiles() {
        unlink(partialPath)
        unlink(completePath)
    }

    /// Gives the complete file its final name, on the cache's thread. Does not hold the lock, as its other users must not wait for
    /// the disk; an entry that is removed meanwhile is therefore unlinked again here.
    func publish() -> Bool {
        guard !state.withLock({ $0.isRemoved }), rename(partialPath, completePath) == 0 else { return false }
        let isRemoved = state.withLock { state in
            state.isComplete = true
            return state.isRemoved
        }
        if isRemoved { unlinkFiles() }
        return !isRemoved
    }

    /// Drops the bytes that the kernel failed to write, which it does not retry. Returns their number.
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

/// The sparse file of an entry, open while the entry is in use.
final class CacheFile: Sendable {
    let descriptor: Int32

    init(_ path: String, creates: Bool) throws(CacheFileError) {
        let number = open(path, O_RDWR | (creates ? O_CREAT : 0) | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard number >= 0 else { throw CacheFileError(errno) }
        descriptor = number
    }

    deinit { close(descriptor) }

    func write(_ bytes: [UInt8], at offset: Int64) throws(CacheFileError) {
        var done = 0
        while done < bytes.count {
            let count = bytes.withUnsafeBytes { buffer in
                pwrite(descriptor, buffer.baseAddress! + done, buffer.count - done, off_t(offset) + off_t(done))
            }
            if count > 0 {
                done += count
            } else if count == 0 || errno != EINTR {
                throw CacheFileError(count == 0 ? EIO : errno)
            }
        }
    }

    /// nil at the end of the file or after an error.
    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) -> Int? {
        while true {
            let count = pread(descriptor, buffer.baseAddress, buffer.count, off_t(offset))
            if count > 0 { return count }
            guard count < 0, errno == EINTR else { return nil }
        }
    }

    /// Blocks until the file is on the disk.
    func sync(_ call: @Sendable (Int32) -> Int32) throws(CacheFileError) {
        guard call(descriptor) == 0 else { throw CacheFileError(errno) }
    }
}

struct CacheFileError: Error, Hashable {
    let code: Int32

    init(_ code: Int32) { self.code = code }

    /// The file does not exist.
    var isAbsence: Bool { code == ENOENT }

    var text: String { String(cString: strerror(code)) }
}

/// Names cache entries: addresses without the query parameters that change between visits.
struct CacheKey: Sendable {
    /// Query parameters that identify the client, not the content. A trailing `*` matches any suffix.
    static let usuallyIgnored = [
        "token", "access_token", "auth", "sig", "signature", "expires", "session", "sid", "x-amz-*", "x-goog-*",
    ]

    private let names: Set<String>
    private let prefixes: [String]

    init(ignoring parameters: [String]) {
        let lower = parameters.map { $0.lowercased() }
        names = Set(lower.filter { !$0.hasSuffix("*") })
        prefixes = lower.filter { $0.hasSuffix("*") }.map { String($0.dropLast()) }
    }

    func name(_ address: WebAddress) -> String {
        let url = address.url
        guard let query = url.firstIndex(of: "?") else { return url }
        let kept = url[url.index(after: query)...].split(separator: "&").filter { pair in
            let name = pair.prefix { $0 != "=" }.lowercased()
            return !names.contains(name) && !prefixes.contains { name.hasPrefix($0) }
        }
        return url[..<query] + (kept.isEmpty ? "" : "?" + kept.joined(separator: "&"))
    }
}
