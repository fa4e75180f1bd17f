// SPDX-License-Identifier: Apache-2.0

import Addresses

/// Numbers that stand for names: the same in every run and in every catalogue. 64 bits, so that among a million names
/// the chance of two with one number is below 1 in 10 million.
enum CatalogueKey {
    /// Mixed, as the low bits of FNV alone follow the last byte.
    static func of(_ parts: String...) -> Int64 {
        var names = StableHash()
        for part in parts {
            names.add(part.utf8)
            names.add(CollectionOfOne(0xFF))
        }
        var hash = names.value
        hash ^= hash >> 32
        hash = hash &* 0xd6e8_feb8_6659_fd93
        hash ^= hash >> 32
        return Int64(bitPattern: hash)
    }
}
