// SPDX-License-Identifier: Apache-2.0

public import Glibc

/// Writes files that are there as a whole or not at all: a reader never sees half of one, and neither does the next start
/// after a crash.
public enum WholeFile {
    /// Why a file cannot be written.
    public struct Failure: Error, CustomStringConvertible {
        public let path: String
        /// The system's error number.
        public let code: Int32

        public var reason: String { String(cString: strerror(code)) }
        public var description: String { "\(path): \(reason)" }
    }

    /// Replaces the file; anything else than a file stays (`EINVAL`).
    ///
    /// - Parameters:
    ///   - mode: By default only its owner may read it.
    ///   - survives: Blocks until the content is on the disk, so that it survives a power cut.
    ///   - write: As write(2), for tests.
    public static func write(
        _ bytes: some Collection<UInt8>, to path: String, mode: mode_t = 0o600, survives: Bool = true,
        write: (Int32, UnsafeRawPointer?, Int) -> Int = Glibc.write
    ) throws(Failure) {
        // A device in its place, such as /dev/null, would be gone for the whole machine.
        var found = stat()
        if stat(path, &found) == 0, ![S_IFREG, S_IFDIR].contains(found.st_mode & S_IFMT) {
            throw Failure(path: path, code: EINVAL)
        }
        let partial = path + ".partial"
        // Left by a crash, or a link that leads elsewhere.
        unlink(partial)
        let descriptor = open(partial, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode)
        guard descriptor >= 0 else { throw Failure(path: path, code: errno) }
        var code: Int32 = 0
        let content = Array(bytes)
        content.withUnsafeBytes { content in
            errno = 0
            let isWhole = write(descriptor, content.baseAddress, content.count) == content.count
            // A short write sets no error.
            if !isWhole { code = errno != 0 ? errno : ENOSPC } else if survives, fsync(descriptor) != 0 { code = errno }
        }
        close(descriptor)
        if code == 0, rename(partial, path) != 0 { code = errno }
        guard code != 0 else { return }
        unlink(partial)
        throw Failure(path: path, code: code)
    }
}
