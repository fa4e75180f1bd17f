// SPDX-License-Identifier: Apache-2.0

/// The escapes of a JSON text (RFC 8259 section 7), for comparing names; the decoder judges whether they are right.
enum JSONEscapes {
    /// The bytes that are meant; nil when there is no escape, or one that is none.
    static func resolved(_ text: Slice<UnsafeBufferPointer<UInt8>>) -> [UInt8]? {
        guard text.contains(UInt8(ascii: "\\")) else { return nil }
        var result: [UInt8] = []
        var position = text.startIndex
        while position < text.endIndex {
            let byte = text[position]
            position += 1
            guard byte == UInt8(ascii: "\\") else {
                result.append(byte)
                continue
            }
            guard position < text.endIndex else { return nil }
            let kind = text[position]
            position += 1
            switch kind {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): result.append(kind)
            case UInt8(ascii: "b"): result.append(0x08)
            case UInt8(ascii: "f"): result.append(0x0C)
            case UInt8(ascii: "n"): result.append(0x0A)
            case UInt8(ascii: "r"): result.append(0x0D)
            case UInt8(ascii: "t"): result.append(0x09)
            case UInt8(ascii: "u"):
                guard let scalar = scalar(text, &position) else { return nil }
                result.append(contentsOf: Unicode.Scalar(scalar).map { Array(String($0).utf8) } ?? [])
            default: return nil
            }
        }
        return result
    }

    /// The code point of `XXXX`, or of a pair of surrogates.
    private static func scalar(_ text: Slice<UnsafeBufferPointer<UInt8>>, _ position: inout Int) -> UInt32? {
        guard let high = unit(text, &position) else { return nil }
        guard (0xD800..<0xDC00).contains(high) else { return high }
        guard position + 1 < text.endIndex, text[position] == UInt8(ascii: "\\"),
            text[position + 1] == UInt8(ascii: "u")
        else { return nil }
        position += 2
        guard let low = unit(text, &position), (0xDC00..<0xE000).contains(low) else { return nil }
        return 0x10000 + (high - 0xD800) << 10 + (low - 0xDC00)
    }

    private static func unit(_ text: Slice<UnsafeBufferPointer<UInt8>>, _ position: inout Int) -> UInt32? {
        guard position + 4 <= text.endIndex else { return nil }
        var value: UInt32 = 0
        for byte in text[position..<position + 4] {
            guard let digit = Character(Unicode.Scalar(byte)).hexDigitValue else { return nil }
            value = value << 4 | UInt32(digit)
        }
        position += 4
        return value
    }
}
