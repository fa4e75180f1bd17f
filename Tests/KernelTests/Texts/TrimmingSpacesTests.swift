// SPDX-License-Identifier: Apache-2.0

import Kernel
import Testing

@Suite struct TrimmingSpacesTests {
    @Test(arguments: [
        ("", ""), (" ", ""), (" \t ", ""), ("a", "a"), (" a b\t", "a b"), ("\u{00A0}a", "\u{00A0}a"),
        // A space that a combining mark joins is one Character with it; the mark is text.
        (" \u{0301}x", "\u{0301}x"), ("x \u{0301} ", "x \u{0301}"),
    ])
    func onlySpacesAndTabsGo(_ text: String, _ expected: String) {
        #expect(Array(text.trimmingSpaces.utf8) == Array(expected.utf8))
        #expect(Array(text[...].trimmingSpaces.utf8) == Array(expected.utf8))
    }
}
