// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Holds a directory for one owner by `flock` on a file in it; the kernel lets go when the process ends, however it ends.
final class DirectoryLock: Sendable {
    private let descriptor: Int32

    init(directory: String) throws(StateStoreError) {
        let path = directory + "/state.lock"
        // What is no file holds no lock of a server that runs.
        if SetAside.reasonAgainst(path) != nil { _ = try SetAside.move(path) }
        descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .unusable(path: path, reason: String(cString: strerror(errno))) }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            // `deinit` closes the file: the object is whole already.
            let code = errno
            if code == EWOULDBLOCK { throw .inUse(directory: directory) }
            throw .unusable(path: path, reason: String(cString: strerror(code)))
        }
    }

    deinit { if descriptor >= 0 { Glibc.close(descriptor) } }
}
