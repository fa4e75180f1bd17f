// SPDX-License-Identifier: Apache-2.0

/// SipHash-2-4 (Aumasson and Bernstein, 2012). Without the key, nobody can construct collisions.
public struct KeyedHash {
    public struct Key: Hashable, Sendable {
        public var low: UInt64
        public var high: UInt64

        public init(low: UInt64, high: UInt64) {
            self.low = low
            self.high = high
        }
    }

    private var v0, v1, v2, v3: UInt64
    /// The bytes of an incomplete 8-byte word, little-endian.
    private var rest: UInt64 = 0
    private var count = 0

    public init(_ key: Key) {
        v0 = 0x736f_6d65_7073_6575 ^ key.low
        v1 = 0x646f_7261_6e64_6f6d ^ key.high
        v2 = 0x6c79_6765_6e65_7261 ^ key.low
        v3 = 0x7465_6462_7974_6573 ^ key.high
    }

    public mutating func add(_ bytes: [UInt8]) {
        for byte in bytes { add(byte) }
    }

    /// Adds the text's UTF-8 bytes.
    public mutating func add(_ text: String) {
        var text = text
        text.withUTF8 { bytes in
            for byte in bytes { add(byte) }
        }
    }

    public mutating func add(_ byte: UInt8) {
        rest |= UInt64(byte) << (8 * UInt64(count & 7))
        count += 1
        if count & 7 == 0 {
            compress(rest)
            rest = 0
        }
    }

    public var value: UInt64 {
        var end = self
        end.compress(rest | UInt64(truncatingIfNeeded: count) << 56)
        end.v2 ^= 0xff
        for _ in 0..<4 { end.round() }
        return end.v0 ^ end.v1 ^ end.v2 ^ end.v3
    }

    private mutating func compress(_ word: UInt64) {
        v3 ^= word
        round()
        round()
        v0 ^= word
    }

    private mutating func round() {
        v0 = v0 &+ v1
        v2 = v2 &+ v3
        v1 = Self.rotated(v1, 13) ^ v0
        v3 = Self.rotated(v3, 16) ^ v2
        v0 = Self.rotated(v0, 32)
        v2 = v2 &+ v1
        v0 = v0 &+ v3
        v1 = Self.rotated(v1, 17) ^ v2
        v3 = Self.rotated(v3, 21) ^ v0
        v2 = Self.rotated(v2, 32)
    }

    private static func rotated(_ word: UInt64, _ bits: UInt64) -> UInt64 { word << bits | word >> (64 - bits) }
}
