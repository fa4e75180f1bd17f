// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// The names of commands in a command line.
enum CommandNames {
    /// Rejects an unknown command. `arguments` begin with the name of a subcommand of `root` or with options, each of which has
    /// a value.
    static func check(_ arguments: ArraySlice<String>, in root: any ParsableCommand.Type) throws {
        var command = root
        var help = "tonearm help"
        var rest = arguments
        while let word = rest.popFirst() {
            let subcommands = command.configuration.subcommands
            if subcommands.isEmpty { return }
            if word.hasPrefix("-") {
                if !word.contains("=") { _ = rest.popFirst() }
                continue
            }
            guard let next = subcommands.first(where: { $0._commandName == word }) else {
                throw ValidationError("\(word) is not a command; \(help) lists them.")
            }
            command = next
            help += " \(word)"
        }
    }
}
