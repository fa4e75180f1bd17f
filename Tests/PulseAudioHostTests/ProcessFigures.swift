// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Threads, descriptors and context switches of this process, from `/proc`.
extension PulseAudioOutputTests.Rig {
    static var descriptors: Int { names("fd").count }

    /// The threads with names. The runtime starts and ends unnamed ones at any time.
    static var threads: Int {
        let process = content("/proc/self/comm")
        return names("task").count { ![process, ""].contains(content("/proc/self/task/\($0)/comm")) }
    }

    static func thread(named name: String) -> String? {
        names("task").first { content("/proc/self/task/\($0)/comm") == name + "\n" }
    }

    private static func names(_ directory: String) -> [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/\(directory)")) ?? []
    }

    static func switches(_ thread: String) -> Int {
        let status = content("/proc/self/task/\(thread)/status")
        let line = status.split(separator: "\n").first { $0.hasPrefix("voluntary_ctxt") }
        return line?.split(separator: "\t").last.flatMap { Int($0) } ?? -1
    }

    private static func content(_ path: String) -> String { (try? String(contentsOfFile: path, encoding: .utf8)) ?? "" }
}
