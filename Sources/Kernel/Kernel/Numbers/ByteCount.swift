// SPDX-License-Identifier: Apache-2.0

/// The number of bytes of a media: 0...2^48.
///
/// Every size from outside (a header field, a file system, a list, a cache) becomes one of these or stays unknown. No sum,
/// product or offset that is computed from a few of them overflows, and each is exact as a `Double`.
public struct ByteCount: Hashable, Comparable, Sendable {
    /// 256 TB: ten years of uncompressed stereo sound in CD quality are a fifth of it.
    public static let largest: Int64 = 1 << 48

    public let bytes: Int64

    /// nil for a number that is no size of a media.
    public init?(_ number: some BinaryInteger) {
        guard let bytes = Int64(exactly: number), (0...Self.largest).contains(bytes) else { return nil }
        self.bytes = bytes
    }

    /// Decimal digits, nothing else.
    public init?(digits: some StringProtocol) {
        guard !digits.isEmpty, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let bytes = Int64(digits) else {
            return nil
        }
        self.init(bytes)
    }

    public static func < (left: ByteCount, right: ByteCount) -> Bool { left.bytes < right.bytes }
}

extension ByteCount: ExpressibleByIntegerLiteral {
    /// For sizes that stand in the code.
    public init(integerLiteral bytes: Int64) {
        precondition((0...Self.largest).contains(bytes))
        self.bytes = bytes
    }
}
