// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Waits for the signals that end the program: SIGTERM, SIGINT, and SIGHUP (the terminal or session is gone). Call `block` first,
/// before any thread is started.
enum Signals {
    static func block() {
        var set = endings()
        sigprocmask(SIG_BLOCK, &set, nil)
        signal(SIGPIPE, SIG_IGN)
        // A file size limit (`ulimit -f`) is reported as an error, like a full disk.
        signal(SIGXFSZ, SIG_IGN)
    }

    /// Blocks the calling thread until a signal ends the process; returns the signal.
    static func awaitEnd() -> Int32 {
        var set = endings()
        var signal: Int32 = 0
        while sigwait(&set, &signal) != 0 {}
        return signal
    }

    /// From now on a second `signal` ends the process at once, for users who cannot wait for the shutdown. Other signals do not:
    /// Ctrl-C reaches a script and the server, and the script then sends SIGTERM, which must not cut the shutdown short.
    static func endAtOnce(on signal: Int32) {
        var set = sigset_t()
        sigemptyset(&set)
        sigaddset(&set, signal)
        pthread_sigmask(SIG_UNBLOCK, &set, nil)
    }

    /// A pending signal, for work that polls.
    static func pendingEnd() -> Int32? {
        var set = sigset_t()
        guard sigpending(&set) == 0 else { return nil }
        return all.first { sigismember(&set, $0) == 1 }
    }

    private static let all = [SIGTERM, SIGINT, SIGHUP]

    private static func endings() -> sigset_t {
        var set = sigset_t()
        sigemptyset(&set)
        for signal in all { sigaddset(&set, signal) }
        return set
    }
}
