// SPDX-License-Identifier: Apache-2.0

/// Lets the calling thread compute with 0 in place of denormal numbers until `leave`.
///
/// A filter's state decays into them after a minute of digital silence, and each operation on one then takes a hundred
/// times as long. Put it around the rendering only: libraries that share the thread expect the usual mode.
public struct DenormalGuard: BitwiseCopyable, Sendable {
    private let mode: UInt64

    @_noLocks @_noAllocation
    public static func enter() -> DenormalGuard { DenormalGuard(mode: flushDenormals()) }

    @_noLocks @_noAllocation
    public func leave() { restoreDenormals(mode) }
}
