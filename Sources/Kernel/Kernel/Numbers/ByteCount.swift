// SPDX-License-Identifier: Apache-2.0

/// The size of a file or stream in bytes: 0...2^48.
///
/// Every size from outside (a header field, a file system, a playlist, a cache) becomes a `ByteCount` or stays unknown.
/// Sums, products and offsets of a few of them do not overflow, and each is exact as a `Double`.
public struct ByteCount: Hashable, Comparable, Sendable {
    /// 256 TB; ten years of uncompressed stereo in CD quality take a fifth of it.
    public static let largest: Int64 = 1 << 48

    public let bytes: Int64

    /// nil if the number is out of range.
    public init?(_ number: some BinaryInteger) {
        guard let bytes = Int64(exactly: number), (0...Self.largest).contains(bytes) else { return nil }
        self.bytes = bytes
    }

    /// Accepts decimal digits only.
    public init?(digits: some StringProtocol) {
        guard !digits.isEmpty, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let bytes = Int64(digits) else {
            return nil
        }
        self.init(bytes)
    }

    public static func < (left: ByteCount, right: ByteCount) -> Bool { left.bytes < right.bytes }
}

extension ByteCount: ExpressibleByIntegerLiteral {
    /// For constants in the code.
    public init(integerLiteral bytes: Int64) {
        precondition((0...Self.largest).contains(bytes))
        self.bytes = bytes
    }
}
