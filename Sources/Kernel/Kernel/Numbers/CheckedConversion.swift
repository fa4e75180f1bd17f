// SPDX-License-Identifier: Apache-2.0

// Conversions of a `Double` that cannot trap. `Int(value)` ends the process when the value is not finite or does not fit;
// scripts/lint refuses it. Where such a value is an error, use `init(exactly:)` and report it.

extension Int64 {
    /// The value without its fraction, or the nearest number that fits; 0 for NaN.
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

extension Int {
    /// As `Int64.init(clamping:)`.
    @inlinable @inline(__always)
    public init(clamping value: Double) { self.init(clamping: Int64(clamping: value)) }
}

extension Int32 {
    /// As `Int64.init(clamping:)`.
    @inlinable @inline(__always)
    public init(clamping value: Double) { self.init(clamping: Int64(clamping: value)) }
}

extension UInt32 {
    /// As `Int64.init(clamping:)`.
    @inlinable @inline(__always)
    public init(clamping value: Double) { self.init(clamping: Int64(clamping: value)) }
}

extension UInt8 {
    /// As `Int64.init(clamping:)`.
    @inlinable @inline(__always)
    public init(clamping value: Double) { self.init(clamping: Int64(clamping: value)) }
}
