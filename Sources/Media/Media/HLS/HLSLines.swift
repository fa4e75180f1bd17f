// SPDX-License-Identifier: Apache-2.0

/// The lines of a playlist without the blanks around them; none is empty.
struct HLSLines: Sequence, IteratorProtocol {
    private let text: [UInt8]
    private var place = 0

    init(_ text: [UInt8]) {
        self.text = text
    }

    mutating func next() -> ArraySlice<UInt8>? {
        while place < text.count {
            var start = place
            while place < text.count, text[place] != 0x0A, text[place] != 0x0D { place += 1 }
            var end = place
            place += 1
            while start < end, Self.isBlank(text[start]) { start += 1 }
            while start < end, Self.isBlank(text[end - 1]) { end -= 1 }
            if start < end { return text[start..<end] }
        }
        return nil
    }

    /// UTF-8, else one of the 8-bit sets.
    static func string(_ line: ArraySlice<UInt8>) -> String {
        String(validating: line, as: UTF8.self) ?? IcyMetadata.text(line)
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
}
