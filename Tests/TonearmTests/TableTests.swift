// SPDX-License-Identifier: Apache-2.0

import Testing
@testable import tonearm

@Suite struct TableTests {
    /// They would move or reverse the text beside a name.
    @Test func controlsOfTheTerminalAndOfDirectionAreNotPrinted() {
        #expect(Table.printable("a\u{1B}[2Jb\u{9B}c\u{202E}d\u{2066}e\u{200F}fé\u{5D0}") == "a [2Jb c d e fé\u{5D0}")
    }
}
