// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Threads, descriptors, context switches and waits, from `/proc`.
extension PulseAudioOutputTests.Rig {
    static var descriptors: Int { names("/proc/self/fd").count }

    /// The threads with names. The runtime starts and ends unnamed ones at any time.
    static var threads: Int {
        let process = content("/proc/self/comm")
        return names("/proc/self/task").count { ![process, ""].contains(content("/proc/self/task/\($0)/comm")) }
    }

    static func thread(named name: String) -> String? {
        names("/proc/self/task").first { content("/proc/self/task/\($0)/comm") == name + "\n" }
    }

    private static func names(_ directory: String) -> [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
    }

    /// For which the outputs' threads and the sound servers of this process waited for a processor, all together.
    static var secondsKeptWaiting: Double {
        let own = "\nPPid:\t\(getpid())\n"
        let servers = names("/proc").filter { content("/proc/\($0)/status").contains(own) }
        return (["self"] + servers).reduce(0) { sum, process in
            names("/proc/\(process)/task").reduce(sum) { sum, thread in
                let place = "/proc/\(process)/task/\(thread)"
                guard process != "self" || content(place + "/comm") == "pulse\n" else { return sum }
                let figures = content(place + "/schedstat").split(separator: " ")
                return sum + (figures.count > 1 ? Double(figures[1]) ?? 0 : 0) / 1e9
            }
        }
    }

    static func switches(_ thread: String) -> Int {
        let status = content("/proc/self/task/\(thread)/status")
        let line = status.split(separator: "\n").first { $0.hasPrefix("voluntary_ctxt") }
        return line?.split(separator: "\t").last.flatMap { Int($0) } ?? -1
    }

    private static func content(_ path: String) -> String { (try? String(contentsOfFile: path, encoding: .utf8)) ?? "" }
}
