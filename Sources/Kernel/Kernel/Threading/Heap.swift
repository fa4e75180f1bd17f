// SPDX-License-Identifier: Apache-2.0

internal import CLinux

public enum Heap {
    /// Returns free pages to the system. malloc itself does that only at the end of an arena. Takes milliseconds: call it
    /// after freeing something large.
    public static func giveBack() { clinux_trim_heap() }
}
