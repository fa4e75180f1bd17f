// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// The sparse file of one entry, open while somebody uses it.
final class CacheFile: Sendable {
    let descriptor: Int32

    init(_ path: String, creates: Bool) throws(CacheFileError) {
        let number = open(path, O_RDWR | (creates ? O_CREAT : 0) | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard number >= 0 else { throw CacheFileError(errno) }
        descriptor = number
    }

    deinit {
        close(descriptor)
    }

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

    /// nil when the file has not got them.
    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) -> Int? {
        while true {
            let count = pread(descriptor, buffer.baseAddress, buffer.count, off_t(offset))
            if count > 0 { return count }
            guard count < 0, errno == EINTR else { return nil }
        }
    }

    /// Waits until it is on the disk.
    func sync(_ call: @Sendable (Int32) -> Int32) throws(CacheFileError) {
        guard call(descriptor) == 0 else { throw CacheFileError(errno) }
    }
}

struct CacheFileError: Error, Hashable {
    let code: Int32

    init(_ code: Int32) {
        self.code = code
    }

    /// There is no such file.
    var isAbsence: Bool { code == ENOENT }

    var text: String { String(cString: strerror(code)) }
}
