// SPDX-License-Identifier: Apache-2.0

/// Folds text for searching and sorting: lower case without accents, ordinary letters for full-width ones, hiragana for katakana,
/// and each character of a script without spaces as a word.
///
/// SQLite's tokenizers do not suffice: `unicode61` makes one word of a run of Chinese, and `trigram` finds nothing with two
/// characters. A tokenizer of our own would make the file unreadable for other programs.
enum SearchText {
    /// Returns words separated by one space. Applies to indexed texts and to queries.
    static func folded(_ text: String) -> String {
        if text.utf8.allSatisfy({ $0 < 0x80 }) { return foldedASCII(text) }
        var words = Words()
        for character in text.lowercased() {
            if let base = Self.bases[character] {
                words.append(base)
                continue
            }
            for scalar in character.unicodeScalars { words.append(scalar) }
        }
        return words.text
    }

    /// Returns the FTS5 query for `text`: all words, each of which may be a prefix. nil if it contains no word.
    static func query(_ text: String) -> String? {
        var phrases: [String] = []
        for word in text.split(whereSeparator: \.isWhitespace).prefix(16) {
            let words = folded(String(word))
            guard let last = words.unicodeScalars.last else { continue }
            phrases.append("\"\(words)\"" + (isIdeograph(last) ? "" : "*"))
        }
        return phrases.isEmpty ? nil : phrases.joined(separator: " AND ")
    }

    /// A key whose bytes sort as people do: numbers by their value.
    static func sortKey(_ text: String) -> String {
        let words = folded(text)
        guard words.utf8.contains(where: { (0x30...0x39).contains($0) }) else { return words.isEmpty ? text : words }
        var key = ""
        var digits = ""
        func flush() {
            let value = digits.drop { $0 == "0" }
            if !digits.isEmpty { key += String(repeating: "0", count: max(0, 8 - value.count)) + value }
            digits = ""
        }
        for character in words {
            if character.isASCII, character.isNumber {
                digits.append(character)
            } else {
                flush()
                key.append(character)
            }
        }
        flush()
        return key
    }

    /// 0 for an exact name, 1 for a prefix, 2 otherwise.
    static func rank(_ name: String, _ wanted: String) -> Int { name == wanted ? 0 : name.hasPrefix(wanted) ? 1 : 2 }

    private static func foldedASCII(_ text: String) -> String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count)
        for byte in text.utf8 {
            switch byte {
            case 0x41...0x5A: bytes.append(byte | 0x20)
            case 0x61...0x7A, 0x30...0x39: bytes.append(byte)
            case UInt8(ascii: "'"): continue
            default: if let last = bytes.last, last != 0x20 { bytes.append(0x20) }
            }
        }
        if bytes.last == 0x20 { bytes.removeLast() }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Scripts that write without spaces between words.
    private static func isIdeograph(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x2E80...0x2FDF, 0x3005...0x3007, 0x3040...0x30FF, 0x3100...0x318F, 0x31A0...0x31FF, 0x3400...0x4DBF,
            0x4E00...0x9FFF, 0xAC00...0xD7AF, 0xF900...0xFAFF, 0x20000...0x3FFFF:
            true
        default: false
        }
    }

    /// Collects scalars into words.
    private struct Words {
        private(set) var text = ""
        private var needsSpace = false

        mutating func append(_ letters: String) {
            separate()
            text += letters
        }

        mutating func append(_ scalar: Unicode.Scalar) {
            var value = scalar.value
            // Full-width ASCII; katakana.
            if (0xFF01...0xFF5E).contains(value) { value -= 0xFEE0 }
            if (0x30A1...0x30F6).contains(value) { value -= 0x60 }
            guard let folded = Unicode.Scalar(value) else { return }
            switch folded.properties.generalCategory {
            case .nonspacingMark, .spacingMark, .enclosingMark:
                // Voicing marks of kana: in Unicode the voiced letter follows its base, then the half-voiced one.
                if value == 0x3099 || value == 0x309A { return voice(by: value - 0x3098) }
                if (0x300...0x36F).contains(value) { return }
                text.unicodeScalars.append(folded)
            case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .decimalNumber,
                .letterNumber, .otherNumber:
                if SearchText.isIdeograph(folded) {
                    needsSpace = true
                    separate()
                    text.unicodeScalars.append(folded)
                    needsSpace = true
                } else {
                    separate()
                    text += String(folded).lowercased()
                }
            default:
                if value != 0x27 && value != 0x2019 { needsSpace = true }
            }
        }

        private mutating func separate() {
            if needsSpace, !text.isEmpty { text += " " }
            needsSpace = false
        }

        private mutating func voice(by distance: UInt32) {
            guard let last = text.unicodeScalars.last, (0x3040...0x309F).contains(last.value),
                let voiced = Unicode.Scalar(last.value + distance)
            else { return }
            text.unicodeScalars.removeLast()
            text.unicodeScalars.append(voiced)
        }
    }

    /// Base letters of accented ones. Characters compare by canonical equivalence: an entry covers the composed and the decomposed
    /// form.
    private static let bases: [Character: String] = {
        var bases: [Character: String] = [
            "ø": "o", "đ": "d", "ł": "l", "ß": "ss", "æ": "ae", "œ": "oe", "þ": "th", "ð": "d", "ı": "i", "ħ": "h",
            "ŧ": "t", "ŋ": "n",
        ]
        let marks = (0x300...0x331).compactMap(Unicode.Scalar.init)
        let vietnamese = [0x302, 0x306, 0x31B].compactMap(Unicode.Scalar.init)
        for letter in "abcdefghijklmnopqrstuvwxyz" {
            for mark in marks {
                bases[accented(letter, [mark])] = String(letter)
                guard "aeou".contains(letter) else { continue }
                for first in vietnamese where first != mark {
                    bases[accented(letter, [first, mark])] = String(letter)
                }
            }
        }
        return bases
    }()

    private static func accented(_ letter: Character, _ marks: [Unicode.Scalar]) -> Character {
        Character(String(String.UnicodeScalarView(Array(letter.unicodeScalars) + marks)))
    }
}

/// Searches names without an index, by the same rules: all words, each of which may be a prefix.
struct NameSearch {
    private let wanted: String
    private let words: [Substring]

    init(_ text: String) {
        wanted = SearchText.folded(text)
        words = wanted.split(separator: " ")
    }

    /// Returns the best matches first: exact names, prefixes, others; each group in the given order.
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
        return SearchText.rank(name, wanted)
    }
}
