// SPDX-License-Identifier: Apache-2.0

internal import CLinux

/// The last line of the log after a defect: the signal that ended the process, and its thread.
public enum CrashLine {
    /// One line on standard error, where nobody else handles the signal (Swift's backtracer prints more). The process ends by
    /// the signal as ever. In C, as Swift may allocate or lock wherever it likes.
    public static func install() { clinux_report_crashes() }
}
