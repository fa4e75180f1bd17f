// SPDX-License-Identifier: Apache-2.0

import Kernel

/// Numbers that stand for names: the same in every run, and in every catalogue of one data directory. 64 bits, so that among a
/// million names the chance of two with one number is below 1 in 10 million; keyed, so that nobody can choose such names.
struct CatalogueKeys: Sendable {
    private let key: KeyedHash.Key

    init(_ key: KeyedHash.Key) { self.key = key }

    func of(_ parts: String...) -> Int64 {
        var names = KeyedHash(key)
        for part in parts {
            names.add(part.utf8)
            names.add(CollectionOfOne(0xFF))
        }
        return Int64(bitPattern: names.value)
    }
}
