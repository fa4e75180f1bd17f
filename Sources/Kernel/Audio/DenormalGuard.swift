// SPDX-License-Identifier: Apache-2.0

/// Makes the calling thread treat denormal numbers as 0 until `leave`.
///
/// After a minute of digital silence a filter's state decays into denormals, and each operation on one takes a hundred times as
/// long. Use it for rendering only: libraries on the same thread expect the usual mode.
public struct DenormalGuard: BitwiseCopyable, Sendable {
    private let mode: UInt64

    @_noLocks @_noAllocation
    public static func enter() -> DenormalGuard { DenormalGuard(mode: flushDenormals()) }

    @_noLocks @_noAllocation
    public func leave() { restoreDenormals(mode) }
}
