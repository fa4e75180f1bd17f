// SPDX-License-Identifier: Apache-2.0

internal import CLinux
internal import Glibc

/// Tries from inside the sandbox everything that must fail there, for a test and `doctor`.
enum SandboxTrial {
    /// Forbidden calls that succeeded; empty if the sandbox holds.
    static func breaches() -> [String] {
        var worked: [String] = []
        func attempt(_ name: String, _ result: Int) {
            if result >= 0 { worked.append(name) }
        }
        attempt("open a file", Int(open("/etc/hostname", O_RDONLY)))
        // Nameless (O_TMPFILE), so that nothing is left behind or replaced.
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
        attempt("stop the processor's clock", stopClock())
        attempt("block signals", blockSignals())
        attempt("raise a limit", raiseLimit())
        return worked
    }

    /// As `breaches`, for the Landlock layer alone, in a child process, as it cannot be undone.
    static func layerBreaches() -> [String] {
        let child = clinux_fork()
        guard child >= 0 else { return ["be tried out"] }
        if child == 0 { _exit(fileLayer()) }
        var status: Int32 = 0
        while waitpid(child, &status, 0) < 0, errno == EINTR {}
        return status == 0 ? [] : ["open a file behind the filter"]
    }

    private static func fileLayer() -> Int32 {
        guard clinux_forgo_privileges() == 0 else { return 1 }
        do throws(Sandbox.Failure) {
            // Nothing to test without Landlock.
            guard try Sandbox.forbidFiles() else { return 0 }
        } catch {
            return 1
        }
        return open("/etc/hostname", O_RDONLY) < 0 && open("/tmp", O_WRONLY | O_DIRECTORY | namelessFile, 0o600) < 0
            ? 0 : 1
    }

    private static func stopClock() -> Int {
        var timer = itimerval()
        return Int(setitimer(__itimer_which_t(ITIMER_PROF.rawValue), &timer, nil))
    }

    private static func blockSignals() -> Int {
        var all = sigset_t()
        sigfillset(&all)
        return pthread_sigmask(SIG_BLOCK, &all, nil) == 0 ? 0 : -1
    }

    /// Sets the current value: the call itself must fail.
    private static func raiseLimit() -> Int { Int(clinux_limit(clinux_limit_core, 0)) }

    /// The bit that O_TMPFILE adds to O_DIRECTORY. The Glibc module lacks O_TMPFILE (_GNU_SOURCE).
    private static let namelessFile: Int32 = 0o20_000_000

    private static func makeProcess() -> Int {
        let child = clinux_fork()
        if child == 0 { _exit(0) }
        return Int(child)
    }

    private static func run() -> Int {
        var arguments: [UnsafeMutablePointer<CChar>?] = [nil]
        // Returns on failure only. On success the exit status is the other program's.
        return Int(execv("/bin/true", &arguments))
    }
}
