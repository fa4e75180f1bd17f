// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import Playback

/// Reads the names in a directory, with what the file system reports without a stat.
struct DirectoryReader: ~Copyable {
    enum Kind { case directory, file, link, unknown, other }

    private let stream: OpaquePointer

    /// Takes over a descriptor of a directory that is open for reading.
    init(_ descriptor: consuming OwnedDescriptor) throws(MediaError) {
        let number = descriptor.release()
        guard let stream = fdopendir(number) else {
            let code = errno
            close(number)
            throw Self.failure(code)
        }
        self.stream = stream
    }

    deinit {
        closedir(stream)
    }

    var descriptor: Int32 { dirfd(stream) }

    /// The next name that is not hidden; nil at the end (or when the directory went away). Throws when the rest cannot
    /// be read: what was not reported then may still be there.
    func next() throws(MediaError) -> (name: [UInt8], kind: Kind)? {
        while true {
            // Only errno distinguishes the end from a failure.
            errno = 0
            guard let entry = readdir(stream) else {
                guard errno == 0 else { throw Self.failure(errno) }
                return nil
            }
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in Array(bytes.prefix { $0 != 0 }) }
            if name.first == UInt8(ascii: ".") { continue }
            switch Int(entry.pointee.d_type) {
            case Int(DT_DIR): return (name, .directory)
            case Int(DT_REG): return (name, .file)
            case Int(DT_LNK): return (name, .link)
            case Int(DT_UNKNOWN): return (name, .unknown)
            default: return (name, .other)
            }
        }
    }

    private static func failure(_ code: Int32) -> MediaError {
        MediaError(.unreadable, "A music folder cannot be read: \(systemMessage(code)).")
    }
}
