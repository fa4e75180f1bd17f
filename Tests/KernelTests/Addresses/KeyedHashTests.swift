// SPDX-License-Identifier: Apache-2.0

import Kernel
import Testing

@Suite struct KeyedHashTests {
    private let key = KeyedHash.Key(low: 0x0706_0504_0302_0100, high: 0x0f0e_0d0c_0b0a_0908)

    /// The authors' own vectors: keys and messages of ascending bytes.
    @Test(
        arguments: [(0, 0x726f_db47_dd0e_0e31), (1, 0x74f8_39c5_93dc_67fd), (15, 0xa129_ca61_49be_45e5)]
            as [(UInt8, UInt64)])
    func isSipHash24(length: UInt8, value: UInt64) {
        var hash = KeyedHash(key)
        hash.add(Array(0..<length))
        #expect(hash.value == value)
    }

    @Test func partsAreOneMessage_andAnotherKeyGivesAnotherHash() {
        var parts = KeyedHash(key)
        for part in ["a", "", "bcdefghi", "jk"] { parts.add(part) }
        var whole = KeyedHash(key)
        whole.add("abcdefghijk")
        var other = KeyedHash(KeyedHash.Key(low: key.high, high: key.low))
        other.add("abcdefghijk")
        #expect(parts.value == whole.value && whole.value != other.value)
    }
}
