// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Locks a directory for one owner. The kernel releases the lock when the process ends, in whatever way.
///
/// Uses `flock` on a file in the directory, which `doctor` and older versions check, and on the directory itself: a lock file that
/// somebody removes loses its lock unnoticed, while a directory cannot be removed before its files.
final class DirectoryLock: Sendable {
    private let file: Int32
    private let directory: Int32

    init(directory path: String) throws(StateStoreError) {
        let directory = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard directory >= 0 else { throw .failed(errno, path: path) }
        let file: Int32
        do throws(StateStoreError) {
            // Network file systems have no locks on directories; there the file must suffice.
            if flock(directory, LOCK_EX | LOCK_NB) != 0, errno == EWOULDBLOCK { throw .inUse(directory: path) }
            file = try Self.lockFile(path)
        } catch {
            Glibc.close(directory)
            throw error
        }
        self.directory = directory
        self.file = file
    }

    private static func lockFile(_ directory: String) throws(StateStoreError) -> Int32 {
        let path = directory + "/state.lock"
        // Anything but a file cannot be the lock of a running server.
        if SetAside.reasonAgainst(path) != nil { _ = try SetAside.move(path) }
        let file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw .failed(errno, path: path) }
        guard flock(file, LOCK_EX | LOCK_NB) == 0 else {
            let code = errno
            Glibc.close(file)
            if code == EWOULDBLOCK { throw .inUse(directory: directory) }
            throw .failed(code, path: path)
        }
        return file
    }

    deinit {
        Glibc.close(file)
        Glibc.close(directory)
    }
}
