// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import tonearm

/// Each option of `tonearm serve` is a flag, a variable, a key of the configuration file and a row of docs/cli.md.
@Suite struct OptionsTests {
    /// The names of all lookups, each of which reads flag, variable and file.
    private func lookedUp() throws -> Set<String> {
        let values = try OptionValues(environment: [:], file: nil)
        _ = try ServerConfiguration(try ServeOptions.parse([]), values, ["HOME": "/somewhere"])
        return values.names
    }

    private func names(in lines: some Sequence<Substring>, beginning start: String) -> Set<String> {
        Set(
            lines.filter { $0.hasPrefix(start) }.flatMap { line in
                line.split(separator: "|", maxSplits: 1)[0].matches(of: /--([a-z-]+)/).map { String($0.1) }
            })
    }

    @Test func eachFlagIsLookedUp() throws {
        let help = ServeCommand.helpMessage(columns: 200).split(separator: "\n")
        // The file's own option is read before the file.
        #expect(names(in: help, beginning: "  --") == (try lookedUp()).union(["config"]))
    }

    @Test func eachFlagIsDocumented() throws {
        let root = (0..<3).reduce(URL(fileURLWithPath: #filePath)) { url, _ in url.deletingLastPathComponent() }
        let text = try String(contentsOf: root.appending(path: "docs/cli.md"), encoding: .utf8)
        let section = text.split(separator: "\n## ")[1]
        #expect(section.hasPrefix("tonearm serve"))
        #expect(names(in: section.split(separator: "\n"), beginning: "| `--") == (try lookedUp()).union(["config"]))
    }
}
