// SPDX-License-Identifier: Apache-2.0

extension StringProtocol where SubSequence == Substring {
    /// Works on scalars: from the end of a run of flags or the like, each step by `Character` would walk back to its beginning.
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
    /// UTF-8, or an older encoding as old servers and programs write it.
    public init(foreign bytes: some Collection<UInt8>) {
        self = String(validating: bytes, as: UTF8.self) ?? LegacyEncoding.decode(Array(bytes))
    }

    public init(latin1 bytes: some Collection<UInt8>) {
        self.init(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
    }

    /// Limits runs of combining marks to 30, as Unicode's stream-safe text format does (UAX #15, section 13). Swift sorts the marks of
    /// characters that it compares, in quadratic time. For all text from servers and files.
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
