// SPDX-License-Identifier: Apache-2.0

/// Numbers that stand for names: the same in every run and in every catalogue. 64 bits, so that among a million names
/// the chance of two with one number is below 1 in 10 million.
enum CatalogueKey {
    /// FNV-1a, then mixed, as the low bits of FNV alone follow the last byte.
    static func of(_ parts: String...) -> Int64 {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for part in parts {
            for byte in part.utf8 { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01b3 }
            hash = (hash ^ 0xFF) &* 0x0000_0100_0000_01b3
        }
        hash ^= hash >> 32
        hash = hash &* 0xd6e8_feb8_6659_fd93
        hash ^= hash >> 32
        return Int64(bitPattern: hash)
    }
}
