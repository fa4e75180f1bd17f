// SPDX-License-Identifier: Apache-2.0

internal import CSndfile
internal import Glibc
public import Recording

/// Recordings as files of one directory, written and read through libsndfile.
///
/// While it is made, a file's name ends in `.part`; what is found so at the start was left behind by a process that died,
/// and joins the others with `recovered` in its name. Files are opened beneath the directory by names that hold no slash,
/// never through a link.
public final class RecordingDirectory: RecordingStore {
    static let partSuffix = ".part"
    static let recoveredSuffix = "-recovered"

    private let path: String
    private let directory: Int32

    /// The directory cannot be made or opened: the call's errno.
    public struct Unusable: Error {
        public var reason: String
    }

    /// Makes the directory where it is missing and recovers what is unfinished.
    public init(_ path: String) throws(Unusable) {
        if mkdir(path, 0o700) != 0, errno != EEXIST { throw Unusable(reason: String(cString: strerror(errno))) }
        guard let real = realpath(path, nil) else { throw Unusable(reason: String(cString: strerror(errno))) }
        defer { free(real) }
        self.path = String(cString: real)
        directory = Glibc.open(real, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard directory >= 0, access(real, W_OK) == 0 else { throw Unusable(reason: String(cString: strerror(errno))) }
        do throws(RecordingError) {
            try recover()
        } catch {
            throw Unusable(reason: error.sentence)
        }
    }

    deinit { close(directory) }

    /// With links resolved: where items must be playable from.
    public var root: String { path }

    public func address(_ id: String) -> String {
        // The directory's own path may hold anything; a `file:` URL is percent-decoded.
        var text = "file://"
        for byte in (path + "/" + id).utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "/"), UInt8(ascii: "-"), UInt8(ascii: "."),
                UInt8(ascii: "_"):
                text.append(Character(UnicodeScalar(byte)))
            default:
                let digits = Array("0123456789ABCDEF")
                text += "%\(digits[Int(byte >> 4)])\(digits[Int(byte & 15)])"
            }
        }
        return text
    }

    // MARK: Reading

    public func list() throws(RecordingError) -> [RecordingEntry] {
        var entries: [RecordingEntry] = []
        for name in try names() where RecordingName.isValidID(name) {
            // One that goes meanwhile, or is no file, is no entry.
            do throws(RecordingError) { entries.append(try entry(name)) } catch {}
        }
        return entries.sorted { ($0.modified, $0.id) > ($1.modified, $1.id) }
    }

    public func entry(_ id: String) throws(RecordingError) -> RecordingEntry {
        let (descriptor, status) = try openFile(id)
        let stem = id[..<(id.lastIndex(of: ".") ?? id.endIndex)]
        let milliseconds = Int64(status.st_mtim.tv_sec) * 1000 + Int64(status.st_mtim.tv_nsec) / 1_000_000
        // libsndfile closes it, also when it cannot read it.
        let sound = SoundFile.describe(descriptor)
        return RecordingEntry(
            id: id, size: UInt64(max(0, status.st_size)), modified: milliseconds,
            isRecovered: stem.contains(Self.recoveredSuffix), sound: sound)
    }

    public func open(_ id: String) throws(RecordingError) -> (descriptor: Int32, size: UInt64) {
        let (descriptor, status) = try openFile(id)
        return (descriptor, UInt64(max(0, status.st_size)))
    }

    public func delete(_ id: String) throws(RecordingError) {
        guard RecordingName.isValidID(id) else { throw .unknownRecording(id) }
        guard unlinkat(directory, id, 0) != 0 else { return }
        throw errno == ENOENT ? .unknownRecording(id) : .failed("\(id) cannot be deleted: \(Self.systemText)")
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
            // Only errno tells the end from a failure.
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
        let stem = settings.name ?? Self.timeName()
        for number in 1...10_000 {
            let id = (number == 1 ? stem : "\(stem)-\(number)") + "." + settings.container.fileExtension
            if faccessat(directory, id, F_OK, AT_SYMLINK_NOFOLLOW) == 0 { continue }
            let descriptor = openat(
                directory, id + Self.partSuffix, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
            if descriptor < 0, errno == EEXIST { continue }
            guard descriptor >= 0 else { throw Self.failure(errno, "\(id) cannot be made") }
            do throws(RecordingError) {
                let file = try SoundFile(descriptor, settings)
                return RecordingFile(id: id, file: file) { [self] () throws(RecordingError) in try publish(id) }
            } catch {
                unlinkat(directory, id + Self.partSuffix, 0)
                throw error
            }
        }
        throw .failed("There are too many recordings named \(stem).")
    }

    /// Under its own name, which nobody else can have taken: links, unlike renames, replace nothing.
    private func publish(_ id: String) throws(RecordingError) {
        guard linkat(directory, id + Self.partSuffix, directory, id, 0) == 0 else {
            throw Self.failure(errno, "\(id) cannot be put in place")
        }
        unlinkat(directory, id + Self.partSuffix, 0)
    }

    private func recover() throws(RecordingError) {
        for part in try names() where part.hasSuffix(Self.partSuffix) {
            let id = String(part.dropLast(Self.partSuffix.count))
            guard RecordingName.isValidID(id), let dot = id.lastIndex(of: ".") else { continue }
            // Died between the link and the end: it is there as a whole.
            if faccessat(directory, id, F_OK, AT_SYMLINK_NOFOLLOW) == 0 {
                unlinkat(directory, part, 0)
                continue
            }
            for number in 1...100 {
                let mark = Self.recoveredSuffix + (number == 1 ? "" : "-\(number)")
                if linkat(directory, part, directory, id[..<dot] + mark + id[dot...], 0) == 0 {
                    unlinkat(directory, part, 0)
                    break
                }
                if errno != EEXIST { break }
            }
        }
    }

    /// In UTC, to the second: `20261121T170512Z`.
    private static func timeName() -> String {
        var now = time(nil)
        var parts = tm()
        gmtime_r(&now, &parts)
        var text = [CChar](repeating: 0, count: 32)
        strftime(&text, text.count, "%Y%m%dT%H%M%SZ", &parts)
        return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    private static var systemText: String { String(cString: strerror(errno)) }

    static func failure(_ code: Int32, _ what: String) -> RecordingError {
        let text = "\(what): \(String(cString: strerror(code)))."
        return code == ENOSPC || code == EDQUOT || code == EFBIG ? .diskFull(text) : .failed(text)
    }
}
