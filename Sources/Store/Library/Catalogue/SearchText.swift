// SPDX-License-Identifier: Apache-2.0

/// Text as it is searched and sorted: small letters without accents, full-width letters as ordinary ones, katakana as
/// hiragana, each character of the scripts that write without spaces a word of its own.
///
/// Done here and not by a tokenizer of SQLite: `unicode61` takes a run of Chinese for one word, `trigram` finds nothing
/// with two characters, and a tokenizer of our own would make the file unreadable for other programs.
enum SearchText {
    /// Words with one space between them; the same for what is indexed and what is asked.
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

    /// The expression that finds `text` by FTS5: all words, each also as the beginning of a word; nil when there is no
    /// word in it.
    static func query(_ text: String) -> String? {
        var phrases: [String] = []
        for word in text.split(whereSeparator: \.isWhitespace).prefix(16) {
            let words = folded(String(word))
            guard let last = words.unicodeScalars.last else { continue }
            phrases.append("\"\(words)\"" + (isIdeograph(last) ? "" : "*"))
        }
        return phrases.isEmpty ? nil : phrases.joined(separator: " AND ")
    }

    /// Sorts by bytes as people sort: digits by their value.
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
                // The voicing marks of kana: the voiced letter follows its base in Unicode, the half-voiced next.
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

    /// Letters by what is left of them without their accents. Characters compare by canonical equivalence, so that each
    /// entry stands for the composed and the decomposed form alike.
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
        var scalars = letter.unicodeScalars.map { $0 }
        scalars += marks
        var text = String.UnicodeScalarView()
        text.append(contentsOf: scalars)
        return Character(String(text))
    }
}

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
