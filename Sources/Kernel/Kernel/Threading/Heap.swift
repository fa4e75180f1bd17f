// SPDX-License-Identifier: Apache-2.0

internal import CLinux

/// The memory that malloc holds.
public enum Heap {
    /// Gives pages that are free back to the system, which malloc does by itself only where they are the last ones of an
    /// arena. Takes milliseconds: for after something large.
    public static func giveBack() { clinux_trim_heap() }
}
