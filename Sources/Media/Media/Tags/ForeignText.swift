// SPDX-License-Identifier: Apache-2.0

/// By scalars: from the end of a run of flags or the like, each step by `Character` walks back to its beginning.
extension StringProtocol where SubSequence == Substring {
    /// Without spaces and tabs at both ends.
    public var trimmedOfSpaces: Substring { trimmed { $0 == " " || $0 == "\t" } }

    public var trimmedOfWhitespace: Substring { trimmed(\.properties.isWhitespace) }

    private func trimmed(_ goes: (Unicode.Scalar) -> Bool) -> Substring {
        let text = self[...]
        let scalars = text.unicodeScalars
        guard let first = scalars.firstIndex(where: { !goes($0) }), let last = scalars.lastIndex(where: { !goes($0) })
        else { return text[text.endIndex...] }
        return text[first..<scalars.index(after: last)]
    }
}

extension String {
    /// At most 30 marks in a row, as in Unicode's stream-safe text format (UAX #15, section 13). To compare two characters, Swift
    /// sorts their marks, which takes time in square of their number. For all text from servers and files.
    public var streamSafe: String {
        var marks = 0
        func isKept(_ scalar: Unicode.Scalar) -> Bool {
            let isMark = scalar.value >= 0x300 && scalar.properties.canonicalCombiningClass != .notReordered
            marks = isMark ? marks + 1 : 0
            return marks <= 30
        }
        guard !unicodeScalars.allSatisfy(isKept) else { return self }
        marks = 0
        return String(String.UnicodeScalarView(unicodeScalars.filter(isKept)))
    }
}
