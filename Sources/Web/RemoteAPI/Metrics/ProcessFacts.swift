// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The kernel's figures of this process (proc(5)).
struct ProcessFacts {
    var residentBytes: Int
    var cpuSeconds: Double
    var openDescriptors: Int
    var threads: Int

    static func read() -> ProcessFacts {
        let page = Int(sysconf(Int32(_SC_PAGESIZE)))
        let resident = text("/proc/self/statm").split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
        var usage = rusage()
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        let cpu = seconds(usage.ru_utime) + seconds(usage.ru_stime)
        return ProcessFacts(
            residentBytes: resident * page, cpuSeconds: cpu, openDescriptors: count("/proc/self/fd") - 1,
            threads: count("/proc/self/task"))
    }

    private static func seconds(_ time: timeval) -> Double {
        Double(time.tv_sec) + Double(time.tv_usec) / 1e6
    }

    private static func text(_ path: String) -> String {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return "" }
        defer { close(descriptor) }
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = Glibc.read(descriptor, &buffer, buffer.count)
        return String(decoding: buffer.prefix(max(0, count)), as: UTF8.self)
    }

    /// Entries of a directory, without `.` and `..`.
    private static func count(_ path: String) -> Int {
        guard let directory = opendir(path) else { return 0 }
        defer { closedir(directory) }
        var count = 0
        while Glibc.readdir(directory) != nil { count += 1 }
        return count - 2
    }
}
