// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A lack of threads or descriptors without which the process cannot continue.
public enum Shortage {
    /// EX_OSERR of sysexits.h: a supervisor may try again. A trap would look like a bug.
    private static let status: Int32 = 71

    public static func endProcess(_ resource: String, for part: String) -> Never {
        let text =
            "tonearm: no \(resource) are left for \(part): raise the limit (ulimit, TasksMax, pids_limit), or end something else\n"
        _ = text.withCString { write(STDERR_FILENO, $0, strlen($0)) }
        _exit(status)
    }
}
