// SPDX-License-Identifier: Apache-2.0

/// Finds names without an index, by the rules of the index: all words, each also as the beginning of a word.
struct NameSearch {
    private let wanted: String
    private let words: [Substring]

    init(_ text: String) {
        wanted = SearchText.folded(text)
        words = wanted.split(separator: " ")
    }

    /// The best first: the name itself, names that begin so, the others; each in the given order.
    func best<Entry>(_ entries: [Entry], _ limit: Int, _ name: (Entry) -> String) -> [Entry] {
        guard !words.isEmpty else { return [] }
        var ranked: [[Entry]] = [[], [], []]
        for entry in entries {
            if let rank = rank(SearchText.folded(name(entry))) { ranked[rank].append(entry) }
        }
        return Array(ranked.joined().prefix(limit))
    }

    private func rank(_ name: String) -> Int? {
        let parts = name.split(separator: " ")
        guard words.allSatisfy({ word in parts.contains { $0.hasPrefix(word) } }) else { return nil }
        return name == wanted ? 0 : name.hasPrefix(wanted) ? 1 : 2
    }
}
