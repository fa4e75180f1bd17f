// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The signals that end the program, as something to wait for. `block` comes first, before any thread is made.
///
/// SIGTERM, SIGINT, and SIGHUP (the terminal or the session that started the server is gone: it ends as properly).
enum Signals {
    static func block() {
        var set = endings()
        sigprocmask(SIG_BLOCK, &set, nil)
        signal(SIGPIPE, SIG_IGN)
        // A file that may not grow (`ulimit -f`) is an error to answer for, as a full disk is.
        signal(SIGXFSZ, SIG_IGN)
    }

    /// Blocks the calling thread until the process is asked to end; returns the signal.
    static func awaitEnd() -> Int32 {
        var set = endings()
        var signal: Int32 = 0
        while sigwait(&set, &signal) != 0 {}
        return signal
    }

    /// From here on `signal` ends the process at once, for who sends it again because a proper end takes too long. Only
    /// that one: Ctrl-C reaches a script and the server, and the script then sends SIGTERM without being in a hurry.
    static func endAtOnce(on signal: Int32) {
        var set = sigset_t()
        sigemptyset(&set)
        sigaddset(&set, signal)
        pthread_sigmask(SIG_UNBLOCK, &set, nil)
    }

    /// A blocked signal that has come, for work that looks now and then.
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
