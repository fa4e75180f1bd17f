// SPDX-License-Identifier: Apache-2.0

internal import Media

/// The bytes of a tag value with the encoding that the tag declares (ID3v2.4 structure, 4).
struct TagText: Hashable {
    private enum Encoding: UInt8 { case latin1 = 0, utf16 = 1, utf16BigEndian = 2, utf8 = 3 }

    private let encoding: Encoding
    private let bytes: [UInt8]

    /// Untranslated text from libmpg123, preceded by the encoding byte; nil if that byte is invalid.
    init?(_ raw: [UInt8]) {
        guard let first = raw.first, let encoding = Encoding(rawValue: first) else { return nil }
        self.encoding = encoding
        bytes = Array(raw.dropFirst())
    }

    init(latin1 bytes: [UInt8]) {
        encoding = .latin1
        self.bytes = bytes
    }

    var isEmpty: Bool { bytes.allSatisfy { $0 == 0 || $0 == 0x20 || $0 == 0xFF || $0 == 0xFE } }

    /// The actual encoding of text declared as Latin-1, in clear cases.
    var legacyEncoding: LegacyEncoding? { encoding == .latin1 ? LegacyEncoding.detect(bytes) : nil }

    /// Joins several values (separated by NUL) by "; ". `hint`: the detected encoding of other fields in the same tag.
    func string(hint: LegacyEncoding? = nil) -> String {
        let text =
            switch encoding {
            case .latin1: LegacyEncoding.decode(bytes, hint: hint)
            case .utf8: String(decoding: bytes, as: UTF8.self)
            case .utf16, .utf16BigEndian: utf16()
            }
        let values = text.streamSafe.unicodeScalars.split(separator: "\0").map { value in
            var kept = String.UnicodeScalarView()
            var last: Unicode.Scalar?
            for scalar in Substring(value).trimmedOfWhitespace.unicodeScalars {
                defer { last = scalar }
                if Character(scalar).isNewline {
                    // CR LF is one line break.
                    if scalar != "\n" || last != "\r" { kept.append("\n") }
                } else if scalar.value >= 0x20 || scalar == "\t" {
                    kept.append(scalar)
                }
            }
            return String(kept)
        }
        return values.filter { !$0.isEmpty }.joined(separator: "; ")
    }

    /// Each value may start with its own byte order mark. Without one, files in practice are little-endian.
    private func utf16() -> String {
        var isBigEndian = encoding == .utf16BigEndian
        var units: [UInt16] = []
        for index in stride(from: 0, to: bytes.count - 1, by: 2) {
            let little = UInt16(bytes[index]) | UInt16(bytes[index + 1]) << 8
            switch (little, isBigEndian) {
            case (0xFEFF, _) where encoding == .utf16: isBigEndian = false
            case (0xFFFE, _) where encoding == .utf16: isBigEndian = true
            case (0xFEFF, false), (0xFFFE, true): continue
            case (_, true): units.append(little.byteSwapped)
            case (_, false): units.append(little)
            }
        }
        return String(decoding: units, as: UTF16.self)
    }
}
