// SPDX-License-Identifier: Apache-2.0

extension StringProtocol where SubSequence == Substring {
    /// Without spaces and tabs at both ends, the optional whitespace of RFC 9110 section 5.6.3.
    public var trimmingSpaces: Substring {
        // By bytes: a space with a combining mark behind it is one Character, of which only the space may go.
        let isText: (UInt8) -> Bool = { $0 != 32 && $0 != 9 }
        let text = self[...]
        guard let first = text.utf8.firstIndex(where: isText), let last = text.utf8.lastIndex(where: isText) else {
            return text[text.endIndex...]
        }
        return text[first..<text.utf8.index(after: last)]
    }
}
