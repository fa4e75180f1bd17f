// SPDX-License-Identifier: Apache-2.0

internal import CLinux
internal import Glibc

/// Tries from inside the sandbox what must not work there: so that a test, and `doctor`, need not take its word.
public enum SandboxTrial {
    /// What worked although it must not; empty when the sandbox holds.
    public static func breaches() -> [String] {
        var worked: [String] = []
        func attempt(_ name: String, _ result: Int) {
            if result >= 0 { worked.append(name) }
        }
        attempt("open a file", Int(open("/etc/hostname", O_RDONLY)))
        // Without a name: nothing would be left, and nobody can have put anything in its place.
        attempt("make a file", Int(open("/tmp", O_WRONLY | O_DIRECTORY | namelessFile, 0o600)))
        attempt("open a Unix socket", Int(socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)))
        attempt("open an Internet socket", Int(socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)))
        attempt("look at a file", Int(access("/etc/passwd", F_OK)))
        attempt("list a directory", opendir("/") == nil ? -1 : 0)
        attempt("signal another process", Int(kill(getppid(), 0)))
        attempt("make a process", makeProcess())
        attempt("run a program", run())
        let page = mmap(nil, 4_096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
        attempt("make memory that can be executed", page == MAP_FAILED ? -1 : 0)
        let most = mmap(nil, Sandbox.memory * 2, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
        attempt("take a lot of memory", most == MAP_FAILED ? -1 : 0)
        return worked
    }

    /// What makes O_TMPFILE of O_DIRECTORY; the Glibc module hides it behind _GNU_SOURCE.
    private static let namelessFile: Int32 = 0o20_000_000

    private static func makeProcess() -> Int {
        let child = clinux_fork()
        if child == 0 { _exit(0) }
        return Int(child)
    }

    private static func run() -> Int {
        var arguments: [UnsafeMutablePointer<CChar>?] = [nil]
        // Does not come back when it works; the exit status then is another program's.
        return Int(execv("/bin/true", &arguments))
    }
}
