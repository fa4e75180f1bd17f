// SPDX-License-Identifier: Apache-2.0

import Kernel
import Testing

@Suite struct StableHashTests {
    /// Test vectors of the FNV reference code (draft-eastlake-fnv, appendix C).
    @Test(arguments: [
        ("", 0xcbf2_9ce4_8422_2325 as UInt64), ("a", 0xaf63_dc4c_8601_ec8c), ("foobar", 0x8594_4171_f739_67e8),
    ])
    func isFNV1a(_ text: String, _ hash: UInt64) {
        #expect(StableHash(of: text.utf8).value == hash)
    }

    @Test func inParts_itIsTheSame() {
        var hash = StableHash()
        hash.add("foo".utf8)
        hash.add("bar".utf8)
        #expect(hash.value == StableHash(of: "foobar".utf8).value)
    }
}
