// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import tonearm

@Suite struct CommandNamesTests {
    @Test(
        arguments: [
            ("plya", "play"), ("pley", "play"), ("paly", "play"), ("stauts", "status"), ("play", "play"),
            ("record-steam", "record-stream"), ("xyz", nil), ("", nil),
        ] as [(String, String?)])
    func similarName_isFound(word: String, name: String?) {
        let names = ["play", "pause", "queue", "status", "record", "record-stream"]
        #expect(CommandNames.similar(to: word, among: names) == name)
    }

    @Test(arguments: [
        (["plya"], "plya is not a command. Did you mean play?"),
        (["--player", "kitchen", "stauts", "--json"], "stauts is not a command. Did you mean status?"),
        (["--player=kitchen", "xyzzy"], "xyzzy is not a command."),
        (["alarm", "ad", "7:00"], "ad is not a command. Did you mean add?"),
    ])
    func unknownCommand_isNamed(arguments: [String], message: String) {
        let error = #expect(throws: (any Error).self) { try CommandNames.check(arguments[...], in: Tonearm.self) }
        #expect(error.map { Tonearm.message(for: $0) } == message)
    }

    @Test(arguments: [["play", "plya"], ["alarm", "add", "plya"], ["--player", "plya", "play"], []])
    func otherWords_areNot(arguments: [String]) throws { try CommandNames.check(arguments[...], in: Tonearm.self) }
}
