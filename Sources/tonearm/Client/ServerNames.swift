// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// Shell completion of names that only the running server knows.
enum ServerNames: String, CaseIterable {
    case players, outputs, outputChoice, playlists, presets, alarms, announcements, renders

    var completion: CompletionKind { .custom { words, _, _ in names(completing: words) } }

    private var path: String {
        switch self {
        case .presets: "effects/presets"
        case .alarms: "timers"
        case .outputChoice: "outputs"
        case .players, .outputs, .playlists, .announcements, .renders: rawValue
        }
    }

    /// Seconds. The user waits after pressing Tab.
    private static let patience = 2

    private struct Entry: Decodable { var id, name, type: String? }

    private struct Answer: Decodable {
        var players, outputs, playlists, presets, timers, announcements, renders: [Entry]?
    }

    private func names(completing words: [String]) -> [String] {
        do {
            let client = try ClientOptions.parse(Self.options(in: words)).client()
            let answer: Answer = try client.ask(.get, path, patience: Self.patience)
            let lists = [
                answer.players, answer.outputs, answer.playlists, answer.presets, answer.timers, answer.announcements,
                answer.renders,
            ]
            let entries = lists.compactMap { $0 }.first ?? []
            return entries.compactMap(name).filter(Self.isSafe) + (self == .outputChoice ? ["default"] : [])
        } catch {
            // Completion cannot show an error.
            return []
        }
    }

    private func name(_ entry: Entry) -> String? {
        switch self {
        case .players, .outputs, .outputChoice, .announcements, .renders: entry.id
        case .alarms: entry.type == "sleep" ? nil : entry.id
        case .presets: entry.name
        case .playlists: entry.name.map(Self.isSafe) == true ? entry.name : entry.id
        }
    }

    /// bash expands completed words, `$(...)` included; zsh treats text after a colon as a description.
    static func isSafe(_ name: String) -> Bool {
        !name.isEmpty && !name.hasPrefix("-")
            && name.unicodeScalars.allSatisfy {
                $0.properties.isAlphabetic || $0.properties.numericType != nil
                    || [".", "_", "-", "+", "@", " "].contains($0)
            }
    }

    /// The options of the typed command that select the server and the player.
    static func options(in words: some Collection<String>) -> [String] {
        var options: [String] = []
        for (word, next) in zip(words, words.dropFirst() + [""]) {
            for name in ["--server", "--token", "--player"] {
                if word == name { options += [name, next] }
                if word.hasPrefix(name + "=") { options.append(word) }
            }
        }
        return options
    }
}
