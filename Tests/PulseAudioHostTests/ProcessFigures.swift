// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Threads, descriptors, wake-ups and CPU time of this process, from `/proc`.
extension PulseAudioOutputTests.Rig {
    static func count(_ directory: String) -> Int {
        guard let listing = opendir("/proc/self/\(directory)") else { return 0 }
        defer { closedir(listing) }
        var count = 0
        while readdir(listing) != nil { count += 1 }
        return count
    }

    static func thread(named name: String) -> String? {
        guard let listing = opendir("/proc/self/task") else { return nil }
        defer { closedir(listing) }
        while let entry = readdir(listing) {
            let id = withUnsafeBytes(of: entry.pointee.d_name) {
                String(cString: $0.bindMemory(to: CChar.self).baseAddress!)
            }
            if content("/proc/self/task/\(id)/comm") == name + "\n" { return id }
        }
        return nil
    }

    static func switches(_ thread: String) -> Int {
        let status = content("/proc/self/task/\(thread)/status")
        let line = status.split(separator: "\n").first { $0.hasPrefix("voluntary_ctxt") }
        return line?.split(separator: "\t").last.flatMap { Int($0) } ?? -1
    }

    /// CPU time of the thread in nanoseconds.
    static func processorTime(_ thread: String) -> Int {
        content("/proc/self/task/\(thread)/schedstat").split(separator: " ").first.flatMap { Int($0) } ?? 0
    }

    private static func content(_ path: String) -> String {
        guard let file = fopen(path, "r") else { return "" }
        defer { fclose(file) }
        var buffer = [UInt8](repeating: 0, count: 8192)
        let count = fread(&buffer, 1, buffer.count, file)
        return String(decoding: buffer[..<count], as: UTF8.self)
    }
}
