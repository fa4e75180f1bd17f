// SPDX-License-Identifier: Apache-2.0

/// The bytes of a scripted media. Their period is not a round number.
public enum MediaPattern {
    private static let period = 65_521
    private static let most = 65_536
    private static let table = (0..<period + most).map {
        UInt8(truncatingIfNeeded: $0 % period * 31 + $0 % period / 251)
    }

    /// At most 65,536 bytes of this range, from a table, because computing them is slow in a debug build.
    public static func bytes(_ range: Range<Int64>) -> ArraySlice<UInt8> {
        let start = Int(range.lowerBound % Int64(period))
        return table[start..<start + min(range.count, most)]
    }
}
