// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import tonearm

@Suite struct LinkCommandTests {
    private func line(_ arguments: [String], _ environment: [String: String] = [:]) throws -> String {
        let settings = try ServerConfiguration(
            try ServeOptions.parse(arguments), environment: environment.merging(["HOME": "/home/a"]) { $1 })
        return LinkCommand.line("tonearm", settings, port: 9138)
    }

    @Test func line_repeatsTheGivenSettings_withTheBoundPort() throws {
        #expect(try line([]) == "tonearm link")
        #expect(try line(["--name", "a", "--port", "0"]) == "tonearm link --port 9138")
        #expect(
            try line(["--data", "d", "--token-file", "f"], ["TONEARM_HOST": "::", "TONEARM_DATA": "e"])
                == "tonearm link --host :: --data d --token-file f")
    }

    @Test func line_isQuotedForAShell() throws {
        #expect(try line(["--data", "it's mine"]) == #"tonearm link --data 'it'\''s mine'"#)
    }
}
