// SPDX-License-Identifier: Apache-2.0

/// By scalars: from the end of a run of flags or the like, each step by `Character` walks back to its beginning.
extension StringProtocol where SubSequence == Substring {
    public var trimmedOfWhitespace: Substring {
        let text = self[...]
        let scalars = text.unicodeScalars
        guard let first = scalars.firstIndex(where: { !$0.properties.isWhitespace }),
            let last = scalars.lastIndex(where: { !$0.properties.isWhitespace })
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
