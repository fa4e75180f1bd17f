// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import tonearm

@Suite struct CommandNamesTests {
    @Test(arguments: [
        (["plya"], "plya is not a command; tonearm help lists them."),
        (["--player", "kitchen", "stauts", "--json"], "stauts is not a command; tonearm help lists them."),
        (["--player=kitchen", "xyzzy"], "xyzzy is not a command; tonearm help lists them."),
        (["alarm", "ad", "7:00"], "ad is not a command; tonearm help alarm lists them."),
    ])
    func unknownCommand_isNamed(arguments: [String], message: String) {
        let error = #expect(throws: (any Error).self) { try CommandNames.check(arguments[...], in: Tonearm.self) }
        #expect(error.map { Tonearm.message(for: $0) } == message)
    }

    @Test(arguments: [["play", "plya"], ["alarm", "add", "plya"], ["--player", "plya", "play"], []])
    func otherWords_areNot(arguments: [String]) throws { try CommandNames.check(arguments[...], in: Tonearm.self) }
}
