// SPDX-License-Identifier: Apache-2.0

internal import Kernel
internal import CSndfile
internal import FoundationEssentials
internal import Glibc
public import Media
public import Service
internal import Synchronization

/// Recordings as files of one directory, written through libsndfile or as the bytes of a stream.
///
/// The name of a file in progress ends in `.part`. Such files found at the start were left by a process that died; they
/// become recordings with `recovered` in their names. Files are opened beneath the directory by names without a slash,
/// never through a link.
public final class RecordingDirectory: RecordingStore, StreamStore {
    static let partSuffix = ".part"
    static let recoveredSuffix = "-recovered"

    typealias Link = @Sendable (_ directory: Int32, _ name: String, _ second: String) -> Int32

    /// With links resolved: items in it must be playable.
    public let root: String
    private let link: Link
    private let directory: Int32
    private let examiner: RecordingExaminer
    /// Cached descriptions of unchanged files.
    private let known = Mutex(RecentlyUsed<Version, RecordingEntry.Sound?>(capacity: 1_024))
    /// Time limit in seconds for counting in one list.
    private static let listPatience = 10.0

    private struct Version: Hashable {
        var inode: UInt64
        var size: Int64
        var modified: Int64
    }

    /// Creates a missing directory and recovers unfinished files.
    public convenience init(_ path: String, _ examiner: MediaExaminer) throws(RecordingError) {
        try self.init(path, examiner) { linkat($0, $1, $0, $2, 0) }
    }

    /// `link` creates a second name for a file of the directory, or fails as link(2) does.
    init(_ path: String, _ examiner: MediaExaminer, link: @escaping Link) throws(RecordingError) {
        self.link = link
        self.examiner = RecordingExaminer(examiner: examiner)
        if mkdir(path, 0o700) != 0, errno != EEXIST { throw .failed(Self.systemText) }
        guard let real = realpath(path, nil) else { throw .failed(Self.systemText) }
        defer { free(real) }
        root = String(cString: real)
        directory = Glibc.open(real, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard directory >= 0, access(real, W_OK) == 0 else { throw .failed(Self.systemText) }
        try recover()
    }

    deinit { close(directory) }

    public func address(_ id: String) -> String { FileURL.text(root + "/" + id) }

    // MARK: Reading

    public func list() throws(RecordingError) -> [RecordingEntry] {
        var entries: [RecordingEntry] = []
        let deadline = MonotonicTime.now.advanced(bySeconds: Self.listPatience)
        for name in try names() where RecordingName.isValidID(name) {
            // A file that disappears meanwhile, or is not a regular file, is left out.
            do throws(RecordingError) { entries.append(try entry(name, deadline)) } catch {}
        }
        return entries.sorted { ($0.modified, $0.id) > ($1.modified, $1.id) }
    }

    public func entry(_ id: String) throws(RecordingError) -> RecordingEntry {
        try entry(id, MonotonicTime(nanoseconds: .max))
    }

    /// A file that is not counted by `deadline` has no length yet.
    private func entry(_ id: String, _ deadline: MonotonicTime) throws(RecordingError) -> RecordingEntry {
        let (descriptor, status) = try openFile(id)
        defer { close(descriptor) }
        let milliseconds = Int64(status.st_mtim.tv_sec) &* 1000 &+ Int64(status.st_mtim.tv_nsec) / 1_000_000
        let size = max(0, Int64(status.st_size))
        let version = Version(inode: UInt64(status.st_ino), size: size, modified: milliseconds)
        let isRecovered = id[..<(id.utf8.lastIndex(of: UInt8(ascii: ".")) ?? id.endIndex)].contains(
            Self.recoveredSuffix)
        let sound: RecordingEntry.Sound?
        if let found = known.withLock({ $0[version] }) {
            sound = found
        } else {
            let isWhole: Bool
            (sound, isWhole) = try examine(id, descriptor, size, isRecovered: isRecovered, deadline)
            if isWhole { known.withLock { [sound] in $0.insert(sound, for: version, size: 1) } }
        }
        return RecordingEntry(
            id: id, size: UInt64(size), modified: milliseconds, isRecovered: isRecovered, sound: sound)
    }

    /// `isWhole` is false if counting was stopped early: the next request continues it.
    private func examine(
        _ id: String, _ descriptor: Int32, _ size: Int64, isRecovered: Bool, _ deadline: MonotonicTime
    ) throws(RecordingError) -> (sound: RecordingEntry.Sound?, isWhole: Bool) {
        let isMPEG = id.hasSuffix(".mp3")
        var sound =
            isMPEG
            ? FrameCounting.describeMPEG(descriptor, size: size)
            : examiner.describe(try second(descriptor, id), id, size: size)
        // The header of a WAV file is valid after every write.
        guard isRecovered && !id.hasSuffix(".wav") || isMPEG && sound?.duration == nil, let rate = sound?.sampleRate
        else {
            return (sound, true)
        }
        let limit = MonotonicTime.now.advanced(bySeconds: FrameCounting.patience)
        let until = min(limit, deadline)
        let frames =
            isMPEG
            ? FrameCounting.countMPEG(descriptor, until: until)
            : examiner.count(try second(descriptor, id), id, size: size, until: until)
        sound?.duration = frames.map { Double($0) / Double(rate) }
        return (sound, frames != nil || limit <= deadline)
    }

    public func open(_ id: String) throws(RecordingError) -> (descriptor: Int32, size: UInt64) {
        let (descriptor, status) = try openFile(id)
        return (descriptor, UInt64(max(0, status.st_size)))
    }

    public func delete(_ id: String) throws(RecordingError) {
        guard RecordingName.isValidID(id), regularFile(id) != nil else { throw .unknownRecording(id) }
        guard unlinkat(directory, id, 0) != 0 else { return }
        throw errno == ENOENT ? .unknownRecording(id) : .failed("\(id) cannot be deleted: \(Self.systemText)")
    }

    /// For another owner. Nothing reads at the shared position.
    private func second(_ descriptor: Int32, _ id: String) throws(RecordingError) -> Int32 {
        guard let second = Descriptor.duplicate(descriptor) else { throw Self.failure(errno, "\(id) cannot be read") }
        return second
    }

    /// Deletes every sound file, finished or not: for a directory whose files have no owner any more.
    public func removeAll() throws(RecordingError) {
        for name in try names() {
            let id = name.hasSuffix(Self.partSuffix) ? String(name.dropLast(Self.partSuffix.count)) : name
            guard RecordingName.isValidID(id), unlinkat(directory, name, 0) != 0, errno != ENOENT else { continue }
            throw .failed("\(name) cannot be deleted: \(Self.systemText)")
        }
    }

    private func openFile(_ id: String) throws(RecordingError) -> (Int32, stat) {
        guard RecordingName.isValidID(id) else { throw .unknownRecording(id) }
        let descriptor = openat(directory, id, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)
        var status = stat()
        guard descriptor >= 0 else { throw .unknownRecording(id) }
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            close(descriptor)
            throw .unknownRecording(id)
        }
        return (descriptor, status)
    }

    private func names() throws(RecordingError) -> [String] {
        let copy = openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard copy >= 0, let listing = fdopendir(copy) else {
            defer { if copy >= 0 { close(copy) } }
            throw .failed("The recordings cannot be listed: \(Self.systemText)")
        }
        defer { closedir(listing) }
        var names: [String] = []
        while true {
            // Only errno distinguishes the end from a failure.
            errno = 0
            guard let entry = readdir(listing) else {
                guard errno == 0 else { throw .failed("The recordings cannot be listed: \(Self.systemText)") }
                return names
            }
            names.append(
                withUnsafeBytes(of: &entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) })
        }
    }

    // MARK: Writing

    public func create(_ settings: RecordingSettings) throws(RecordingError) -> any RecordingWriter {
        let (id, descriptor) = try createPart(settings.name, RecordedFormat(settings.container))
        do throws(RecordingError) {
            return try RecordingFile(id: id, descriptor, settings) { [self] isEmpty throws(RecordingError) in
                try settle(id, isEmpty: isEmpty)
            }
        } catch {
            unlinkat(directory, id + Self.partSuffix, 0)
            throw error
        }
    }

    public func createStream(name: String?, _ format: RecordedFormat) throws(RecordingError) -> any StreamWriter {
        let (id, descriptor) = try createPart(name, format)
        return StreamFile(id: id, descriptor) { [self] isEmpty throws(RecordingError) in
            try settle(id, isEmpty: isEmpty)
        }
    }

    /// Creates a file under its name in progress.
    private func createPart(
        _ name: String?, _ format: RecordedFormat
    ) throws(RecordingError) -> (id: String, descriptor: Int32) {
        let stem = name ?? Self.timeName
        for number in 1...10_000 {
            let id = (number == 1 ? stem : "\(stem)-\(number)") + "." + format.rawValue
            if faccessat(directory, id, F_OK, AT_SYMLINK_NOFOLLOW) == 0 { continue }
            let descriptor = openat(
                directory, id + Self.partSuffix, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
            if descriptor < 0, errno == EEXIST { continue }
            guard descriptor >= 0 else { throw Self.failure(errno, "\(id) cannot be created") }
            return (id, descriptor)
        }
        throw .failed("There are too many recordings named \(stem).")
    }

    /// Gives the file its final name, or deletes an empty one. If another program has taken the name, the next start
    /// recovers the file.
    private func settle(_ id: String, isEmpty: Bool) throws(RecordingError) {
        if isEmpty {
            unlinkat(directory, id + Self.partSuffix, 0)
            return
        }
        guard move(id + Self.partSuffix, to: id) else { throw Self.failure(errno, "\(id) cannot be put in place") }
    }

    /// False, with errno, if the name is taken or the call fails otherwise. Unlike a rename, a link replaces nothing.
    /// On file systems without links (FAT, some network shares) the name is checked first: the directory is the
    /// server's own.
    private func move(_ part: String, to id: String) -> Bool {
        if link(directory, part, id) == 0 {
            unlinkat(directory, part, 0)
        } else {
            guard [EPERM, EOPNOTSUPP, ENOSYS, EINVAL, EMLINK].contains(errno) else { return false }
            guard faccessat(directory, id, F_OK, AT_SYMLINK_NOFOLLOW) != 0 else {
                errno = EEXIST
                return false
            }
            guard renameat(directory, part, directory, id) == 0 else { return false }
        }
        // Syncs the name to the disk too, if the file system supports that.
        return fsync(directory) == 0 || errno == EINVAL || errno == EOPNOTSUPP
    }

    private func recover() throws(RecordingError) {
        for part in try names() where part.hasSuffix(Self.partSuffix) {
            let id = String(part.dropLast(Self.partSuffix.count))
            guard RecordingName.isValidID(id), let status = regularFile(part),
                let dot = id.utf8.lastIndex(of: UInt8(ascii: "."))
            else { continue }
            // The process died after the link, when the finished file has both names, or before the first write.
            if isSameFile(part, id) || status.st_size == 0 {
                unlinkat(directory, part, 0)
                continue
            }
            for number in 1...100 {
                let mark = Self.recoveredSuffix + (number == 1 ? "" : "-\(number)")
                if move(part, to: id[..<dot] + mark + id[dot...]) { break }
                if errno != EEXIST { break }
            }
        }
    }

    private func isSameFile(_ name: String, _ other: String) -> Bool {
        guard let one = regularFile(name), let two = regularFile(other) else { return false }
        return (one.st_dev, one.st_ino) == (two.st_dev, two.st_ino)
    }

    /// nil for a link, a directory, a pipe or nothing.
    private func regularFile(_ name: String) -> stat? {
        var status = stat()
        guard fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW) == 0, status.st_mode & S_IFMT == S_IFREG else {
            return nil
        }
        return status
    }

    /// In UTC, to the second: `20261121T170512Z`.
    private static var timeName: String {
        Date.now.ISO8601Format(.init(dateSeparator: .omitted, timeSeparator: .omitted))
    }

    private static var systemText: String { String(cString: strerror(errno)) }

    static func failure(_ code: Int32, _ what: String) -> RecordingError {
        let text = "\(what): \(String(cString: strerror(code)))."
        return code == ENOSPC || code == EDQUOT || code == EFBIG ? .diskFull(text) : .failed(text)
    }
}
