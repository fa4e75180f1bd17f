// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Small files that belong to the configuration.
enum WholeFile {
    private static let largest = 16 << 20

    /// `setting` names what the file is for when it cannot be read.
    static func read(_ path: String, setting: String) throws -> [UInt8] {
        func failure() -> Failure {
            .configuration("\(setting): cannot read \(path): \(String(cString: strerror(errno)))")
        }
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure() }
        defer { close(descriptor) }
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
}
