// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// Names that only the running server knows, for completion by a shell.
enum ServerNames: String, CaseIterable {
    case players, outputs, outputChoice, playlists, presets, alarms, renders

    var completion: CompletionKind { .custom { words, _, _ in names(completing: words) } }

    private var path: String {
        switch self {
        case .presets: "/api/v1/effects/presets"
        case .alarms: TimerState.path
        case .outputChoice: Self.outputs.path
        case .players, .outputs, .playlists, .renders: "/api/v1/" + rawValue
        }
    }

    /// Seconds that a press of a key may take.
    private static let patience = 2

    private struct Entry: Decodable {
        var id: String?
        var name: String?
        var type: String?
    }

    private struct Answer: Decodable { var players, outputs, playlists, presets, timers, renders: [Entry]? }

    private func names(completing words: [String]) -> [String] {
        do {
            let client = try ClientOptions.parse(Self.options(in: words)).client()
            let bytes = try client.send(.get, path, patience: Self.patience)
            let answer = try client.decode(Answer.self, bytes)
            let lists = [
                answer.players, answer.outputs, answer.playlists, answer.presets, answer.timers, answer.renders,
            ]
            let entries = lists.compactMap { $0 }.first ?? []
            return entries.compactMap(name).filter(Self.isSafe) + (self == .outputChoice ? ["default"] : [])
        } catch {
            // A shell has no place for a sentence here.
            return []
        }
    }

    private func name(_ entry: Entry) -> String? {
        switch self {
        case .players, .outputs, .outputChoice, .renders: entry.id
        case .alarms: entry.type == "alarm" ? entry.id : nil
        case .presets: entry.name
        case .playlists: entry.name.map(Self.isSafe) == true ? entry.name : entry.id
        }
    }

    /// bash expands the words that it completes, `$(...)` included, and zsh takes the text behind a colon for a description.
    static func isSafe(_ name: String) -> Bool {
        !name.isEmpty && !name.hasPrefix("-")
            && name.unicodeScalars.allSatisfy {
                $0.properties.isAlphabetic || $0.properties.numericType != nil
                    || [".", "_", "-", "+", "@", " "].contains($0)
            }
    }

    /// The options of the typed command that say which server and player it is for.
    static func options(in words: [String]) -> [String] {
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
