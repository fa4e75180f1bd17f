// SPDX-License-Identifier: Apache-2.0

// Conversions of a `Double` that cannot trap. `Int(value)` ends the process if the value is not finite or does not fit;
// scripts/lint rejects it. Where such a value is an error, use `init(exactly:)` and report it.

extension Int64 {
    /// Truncates the value and clamps it to the range; 0 for NaN.
    @inlinable @inline(__always)
    public init(clamping value: Double) {
        // Each comparison is false for NaN.
        if value >= 0x1p63 {
            self = .max
        } else if value > -0x1p63 {
            self = Int64(value)
        } else {
            self = value.isNaN ? 0 : .min
        }
    }
}

extension FixedWidthInteger {
    /// As `Int64.init(clamping:)`, for types of up to 64 bits (values above `Int64.max` become `Int64.max`).
    @inlinable @inline(__always)
    public init(clamping value: Double) { self.init(clamping: Int64(clamping: value)) }
}
