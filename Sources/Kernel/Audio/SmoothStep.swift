// SPDX-License-Identifier: Apache-2.0

extension Float {
    /// Maps 0...1 to 0...1 without a corner at either end, so that a fade does not click.
    @inlinable
    public var smoothStep: Float {
        @_noLocks @_noAllocation get { self * self * (3 - 2 * self) }
    }
}
