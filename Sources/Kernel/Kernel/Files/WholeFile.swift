// SPDX-License-Identifier: Apache-2.0

public import Glibc

/// Writes files atomically: neither a reader nor the next start after a crash sees a partial one.
public enum WholeFile {
    public struct Failure: Error, CustomStringConvertible {
        public let path: String
        /// The system's error number.
        public let code: Int32

        public var reason: String { String(cString: strerror(code)) }
        public var description: String { "\(path): \(reason)" }
    }

    /// Replaces a regular file; refuses to replace anything else (`EINVAL`).
    ///
    /// - Parameters:
    ///   - mode: by default, only the owner may read the file.
    ///   - survives: blocks until the content is on the disk, so that it survives a power cut.
    ///   - write: replaces write(2) in tests.
    public static func write(
        _ bytes: some Collection<UInt8>, to path: String, mode: mode_t = 0o600, survives: Bool = true,
        write: (Int32, UnsafeRawPointer?, Int) -> Int = Glibc.write
    ) throws(Failure) {
        // Replacing a device such as /dev/null would remove it for the whole machine.
        var found = stat()
        if stat(path, &found) == 0, ![S_IFREG, S_IFDIR].contains(found.st_mode & S_IFMT) {
            throw Failure(path: path, code: EINVAL)
        }
        let partial = path + ".partial"
        // A file left by a crash, or a link to another place.
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
