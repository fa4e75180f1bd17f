// SPDX-License-Identifier: Apache-2.0

/// FNV-1a, 64 bits: the same in every run, unlike `Hasher`. Anyone who chooses the bytes can construct collisions.
public struct StableHash {
    public var value: UInt64 = 0xcbf2_9ce4_8422_2325

    public init() {}

    @inlinable
    public init(of bytes: some Sequence<UInt8>) {
        self.init()
        add(bytes)
    }

    @inlinable
    public mutating func add(_ bytes: some Sequence<UInt8>) {
        for byte in bytes { value = (value ^ UInt64(byte)) &* 0x0000_0100_0000_01b3 }
    }
}
