// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A child process, ended and reaped by its pid. Its output goes to a pipe or is dropped.
final class ChildProcess: @unchecked Sendable {  // because one test uses it at a time
    private var pid: pid_t = 0
    /// Read end of its standard output; -1 when dropped.
    private(set) var output: Int32 = -1

    init(_ path: String, _ arguments: [String], environment: [String: String], pipesOutput: Bool = false) throws {
        var ends: [Int32] = [-1, -1]
        if pipesOutput {
            pipe(&ends)
            for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
        if pipesOutput {
            posix_spawn_file_actions_adddup2(&actions, ends[1], 1)
        } else {
            posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0)
        }
        let argv = ([path] + arguments).map { strdup($0) } + [nil]
        let envp = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { for pointer in argv + envp { free(pointer) } }
        let code = posix_spawn(&pid, path, &actions, nil, argv, envp)
        if pipesOutput { close(ends[1]) }
        output = ends[0]
        guard code == 0 else { throw PulseDaemon.Failure("\(path): \(String(cString: strerror(code)))") }
    }

    var identifier: pid_t { pid }

    /// Ends the process unless it has ended.
    func end() {
        guard pid > 0 else { return }
        kill(pid, SIGKILL)
        reap()
    }

    private func reap() {
        guard pid > 0 else { return }
        var status: Int32 = 0
        waitpid(pid, &status, 0)
        pid = 0
    }

    /// The whole output; waits until the process ends.
    func readAll() -> String {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = read(output, &buffer, buffer.count)
            guard count > 0 else { break }
            bytes += buffer[..<count]
        }
        close(output)
        reap()
        return String(decoding: bytes, as: UTF8.self)
    }
}
