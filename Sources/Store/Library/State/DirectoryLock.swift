// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Holds a directory for one owner; the kernel lets go when the process ends, however it ends.
///
/// By `flock` on a file in it, where `doctor` and servers of older versions look, and on the directory itself: a file that
/// somebody removes takes its lock with it, unseen, while a directory stays for as long as there is something in it.
final class DirectoryLock: Sendable {
    private let file: Int32
    private let directory: Int32

    init(directory path: String) throws(StateStoreError) {
        let directory = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard directory >= 0 else { throw .failed(errno, path: path) }
        let file: Int32
        do throws(StateStoreError) {
            // Network file systems know no locks on directories; there, the file has to do.
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
        // What is no file holds no lock of a server that runs.
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
