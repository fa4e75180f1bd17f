// SPDX-License-Identifier: Apache-2.0

extension StringProtocol where SubSequence == Substring {
    /// The text without leading and trailing spaces and tabs (optional whitespace, RFC 9110 section 5.6.3).
    public var trimmingSpaces: Substring {
        // Byte by byte: a space and the combining mark after it are one Character, but only the space is removed.
        let isText: (UInt8) -> Bool = { $0 != 32 && $0 != 9 }
        let text = self[...]
        guard let first = text.utf8.firstIndex(where: isText), let last = text.utf8.lastIndex(where: isText) else {
            return text[text.endIndex...]
        }
        return text[first..<text.utf8.index(after: last)]
    }
}
