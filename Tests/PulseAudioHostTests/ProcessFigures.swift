// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Threads, descriptors, wake-ups and CPU time of this process, from `/proc`.
extension PulseAudioOutputTests.Rig {
    static var descriptors: Int { names("fd").count }

    /// Those with a name of their own: the runtime's come and go as it likes.
    static var threads: Int {
        let process = content("/proc/self/comm")
        return names("task").count { ![process, ""].contains(content("/proc/self/task/\($0)/comm")) }
    }

    static func thread(named name: String) -> String? {
        names("task").first { content("/proc/self/task/\($0)/comm") == name + "\n" }
    }

    private static func names(_ directory: String) -> [String] {
        guard let listing = opendir("/proc/self/\(directory)") else { return [] }
        defer { closedir(listing) }
        var names: [String] = []
        while let entry = readdir(listing) {
            names.append(
                withUnsafeBytes(of: entry.pointee.d_name) {
                    String(cString: $0.bindMemory(to: CChar.self).baseAddress!)
                })
        }
        return names
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
