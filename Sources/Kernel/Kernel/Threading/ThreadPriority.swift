// SPDX-License-Identifier: Apache-2.0

internal import CLinux

public enum ThreadPriority {
    /// Lowers the CPU and disk priority of the calling thread.
    public static func yieldToOthers() { clinux_yield_to_others() }
}
