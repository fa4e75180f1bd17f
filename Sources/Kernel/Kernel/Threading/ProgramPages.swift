// SPDX-License-Identifier: Apache-2.0

internal import CLinux

/// The program's own file in memory: code and constants.
public enum ProgramPages {
    /// Unmaps all of them. The kernel maps those that are used again, in microseconds each, as long as its cache has them; it may drop the
    /// others from its cache first. Call it once the start is over, which uses far more of them than the server does later.
    public static func giveBack() { clinux_drop_program_pages() }
}
