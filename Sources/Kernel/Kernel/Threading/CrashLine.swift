// SPDX-License-Identifier: Apache-2.0

internal import CLinux

/// What a defect leaves in the log: which signal ended the process, and in which thread.
public enum CrashLine {
    /// One line on standard error, where nobody else handles the signal (Swift's backtracer prints more). The process ends by
    /// the signal as ever. In C, as Swift may allocate or lock wherever it likes.
    public static func install() { clinux_report_crashes() }
}
