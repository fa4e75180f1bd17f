// SPDX-License-Identifier: Apache-2.0

import Glibc
import Media

/// Locks a directory for one owner. The kernel releases the lock when the process ends, in whatever way.
///
/// Uses `flock` on a file in the directory, which `doctor` and older versions check, and on the directory itself: a lock file that
/// somebody removes loses its lock unnoticed, while a directory cannot be removed before its files.
final class DirectoryLock: Sendable {
    private let file: OwnedDescriptor
    private let directory: OwnedDescriptor

    init(directory path: String) throws(StateStoreError) {
        let directory = try Self.open(path, O_RDONLY | O_DIRECTORY)
        // Network file systems have no locks on directories; there the file must suffice.
        if flock(directory.number, LOCK_EX | LOCK_NB) != 0, errno == EWOULDBLOCK { throw .inUse(directory: path) }
        file = try Self.lockFile(path)
        self.directory = directory
    }

    private static func open(_ path: String, _ flags: Int32) throws(StateStoreError) -> OwnedDescriptor {
        let number = Glibc.open(path, flags | O_CLOEXEC, 0o600)
        guard number >= 0 else { throw .failed(errno, path: path) }
        return OwnedDescriptor(number)
    }

    private static func lockFile(_ directory: String) throws(StateStoreError) -> OwnedDescriptor {
        let path = directory + "/state.lock"
        // Anything but a file cannot be the lock of a running server.
        if SetAside.reasonAgainst(path) != nil { _ = try SetAside.move(path) }
        let file = try open(path, O_RDWR | O_CREAT)
        guard flock(file.number, LOCK_EX | LOCK_NB) == 0 else {
            let code = errno
            if code == EWOULDBLOCK { throw .inUse(directory: directory) }
            throw .failed(code, path: path)
        }
        return file
    }
}
