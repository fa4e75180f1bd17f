// SPDX-License-Identifier: Apache-2.0

import Kernel
import Testing

@Suite struct TrimmingSpacesTests {
    @Test(arguments: [
        ("", ""), (" ", ""), (" \t ", ""), ("a", "a"), (" a b\t", "a b"), ("\u{00A0}a", "\u{00A0}a"),
        // A space and its combining mark are one Character, but the mark is text.
        (" \u{0301}x", "\u{0301}x"), ("x \u{0301} ", "x \u{0301}"),
    ])
    func removesOnlySpacesAndTabs(_ text: String, _ expected: String) {
        #expect(Array(text.trimmingSpaces.utf8) == Array(expected.utf8))
        #expect(Array(text[...].trimmingSpaces.utf8) == Array(expected.utf8))
    }
}
