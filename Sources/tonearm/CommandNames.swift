// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// The names of commands in a command line.
enum CommandNames {
    /// Rejects an unknown command, and names a similar one if there is one. `arguments` begin with the name of a subcommand of
    /// `root` or with options, each of which has a value.
    static func check(_ arguments: ArraySlice<String>, in root: any ParsableCommand.Type) throws {
        var command = root
        var rest = arguments
        while let word = rest.popFirst() {
            let subcommands = command.configuration.subcommands
            if subcommands.isEmpty { return }
            if word.hasPrefix("-") {
                if !word.contains("=") { _ = rest.popFirst() }
                continue
            }
            guard let next = subcommands.first(where: { $0._commandName == word }) else {
                let similar = similar(to: word, among: subcommands.map { $0._commandName })
                throw ValidationError("\(word) is not a command." + (similar.map { " Did you mean \($0)?" } ?? ""))
            }
            command = next
        }
    }

    /// The name with the fewest differences, of which a third of the letters may have one; nil if there is none.
    static func similar(to word: String, among names: [String]) -> String? {
        let near = names.map { (name: $0, distance: distance(Array(word), Array($0))) }
            .filter { $0.distance <= max(1, max(word.count, $0.name.count) / 3) }
        return near.min { $0.distance < $1.distance }?.name
    }

    /// The least number of letters to insert, remove, replace or exchange with their neighbour.
    private static func distance(_ one: [Character], _ other: [Character]) -> Int {
        var rows = [Array(0...other.count)]
        for i in one.indices {
            var row = [i + 1]
            for j in other.indices {
                var least = min(row[j], rows[i][j + 1]) + 1
                least = min(least, rows[i][j] + (one[i] == other[j] ? 0 : 1))
                if i > 0, j > 0, one[i] == other[j - 1], one[i - 1] == other[j] {
                    least = min(least, rows[i - 1][j - 1] + 1)
                }
                row.append(least)
            }
            rows.append(row)
        }
        return rows[one.count][other.count]
    }
}
