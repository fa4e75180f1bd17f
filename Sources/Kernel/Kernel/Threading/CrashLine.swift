// SPDX-License-Identifier: Apache-2.0

internal import CLinux

/// The last log line of a crashing process: the signal and the thread.
public enum CrashLine {
    /// Handles the signals that have no handler yet (Swift's backtracer prints more), with one line on standard error. The
    /// process still ends by the signal. The handler is written in C, because Swift may allocate or lock anywhere.
    public static func install() { clinux_report_crashes() }
}
