// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Small files that belong to the configuration.
enum ConfigurationFile {
    private static let largest = 16 << 20

    /// `setting` names what the file is for when it cannot be read.
    static func read(_ path: String, setting: String, isSecret: Bool = false) throws -> [UInt8] {
        func failure() -> Failure {
            .configuration("\(setting): cannot read \(path): \(String(cString: strerror(errno)))")
        }
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure() }
        defer { close(descriptor) }
        if isSecret, let mode = sharedMode(descriptor) {
            throw Failure.configuration(
                "\(setting): others may read \(path) (its mode is 0\(String(mode, radix: 8))): chmod 600 \(path)")
        }
        var bytes: [UInt8] = []
        while true {
            let part = try [UInt8](unsafeUninitializedCapacity: 65_536) { buffer, count in
                let received = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
                guard received >= 0 else { throw failure() }
                count = received
            }
            if part.isEmpty { return bytes }
            bytes += part
            guard bytes.count <= largest else { throw Failure.configuration("\(setting): \(path) is too large") }
        }
    }

    /// The mode of a file that is not its owner's alone. As ssh does, only of files of this user: what another user gives
    /// (a secret that is mounted into a container) this one cannot change.
    private static func sharedMode(_ descriptor: Int32) -> mode_t? {
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_uid == geteuid(), status.st_mode & 0o077 != 0 else {
            return nil
        }
        return status.st_mode & 0o777
    }
}
