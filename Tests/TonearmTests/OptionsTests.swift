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

    /// An option as the help or the documentation describes it: its default, and what it is, in small letters.
    private struct Description: Hashable {
        var standard = ""
        var text = ""
    }

    /// `--name <value>  Text (default X).`, wherever the line breaks.
    private func helped() -> [String: Description] {
        let help = ServeCommand.helpMessage(columns: 1_000)
        let options = help.matches(of: #/\n  --([a-z-]+)(?: <[^>]+>)?\s+(\S.*)\./#)
        return Dictionary(
            uniqueKeysWithValues: options.filter { $0.1 != "version" }.map { option in
                let standard = option.2.firstMatch(of: #/ \(default:? ([^)]+)\)$/#)
                let text = standard.map { option.2[..<$0.range.lowerBound] } ?? option.2
                return (
                    String(option.1),
                    Description(standard: standard.map { String($0.1) } ?? "", text: text.lowercased())
                )
            })
    }

    /// `| `--name VALUE` | default | text |`
    private func documented() throws -> [String: Description] {
        let root = (0..<3).reduce(URL(fileURLWithPath: #filePath)) { url, _ in url.deletingLastPathComponent() }
        let text = try String(contentsOf: root.appending(path: "docs/cli.md"), encoding: .utf8)
        let section = text.split(separator: "\n## ")[1]
        #expect(section.hasPrefix("tonearm serve"))
        let rows = section.matches(of: #/\n\| `--([a-z-]+)(?:\\\||[^|])*\| ?([^|]*)\| (.*) \|/#)
        func plain(_ cell: Substring) -> String { cell.replacing("`", with: "").trimmingCharacters(in: .whitespaces) }
        return Dictionary(
            uniqueKeysWithValues: rows.map { row in
                (String(row.1), Description(standard: plain(row.2), text: plain(row.3).lowercased()))
            })
    }

    @Test func eachFlagIsLookedUp() throws {
        // The file's own option is read before the file.
        #expect(Set(helped().keys) == (try lookedUp()).union(["config"]))
    }

    /// With the same default, and a text that begins as the help does.
    @Test func eachFlagIsDocumented_asTheHelpDescribesIt() throws {
        let (help, documentation) = (helped(), try documented())
        #expect(Set(documentation.keys) == Set(help.keys))
        for (name, row) in documentation {
            let option = try #require(help[name])
            #expect(row.standard == option.standard, "the default of --\(name)")
            #expect(row.text.hasPrefix(option.text), "--\(name): \(row.text) | \(option.text)")
        }
    }
}
