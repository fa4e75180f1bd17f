// SPDX-License-Identifier: Apache-2.0

internal import CLinux

public enum ThreadPriority {
    /// Lets the calling thread's work wait for that of others: CPU and disk.
    public static func yieldToOthers() { clinux_yield_to_others() }
}
