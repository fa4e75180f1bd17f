// SPDX-License-Identifier: Apache-2.0

import Kernel

/// The escapes of a JSON text (RFC 8259 section 7).
enum JSONEscape {
    /// The character of the escape at `position`, where its backslash is; moves `position` after it. nil for an invalid
    /// escape.
    static func scalar(_ bytes: UnsafeBufferPointer<UInt8>, _ position: inout Int, end: Int) -> Unicode.Scalar? {
        guard position + 1 < end else { return nil }
        let kind = bytes[position + 1]
        position += 2
        switch kind {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(kind)
        case UInt8(ascii: "b"): return "\u{08}"
        case UInt8(ascii: "f"): return "\u{0C}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"): break
        default: return nil
        }
        guard let high = unit(bytes, &position, end) else { return nil }
        guard (0xD800..<0xDC00).contains(high) else { return Unicode.Scalar(high) }
        guard position + 1 < end, bytes[position] == UInt8(ascii: "\\"), bytes[position + 1] == UInt8(ascii: "u")
        else { return nil }
        position += 2
        guard let low = unit(bytes, &position, end), (0xDC00..<0xE000).contains(low) else { return nil }
        return Unicode.Scalar(0x10000 + (high - 0xD800) << 10 + (low - 0xDC00))
    }

    /// The bytes of a text with valid escapes, resolved.
    static func resolved(_ text: Slice<UnsafeBufferPointer<UInt8>>) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(text.count)
        var position = text.startIndex
        while position < text.endIndex {
            var end = position
            if text[position] == UInt8(ascii: "\\"), let scalar = scalar(text.base, &end, end: text.endIndex) {
                result.append(contentsOf: String(scalar).utf8)
                position = end
            } else {
                result.append(text[position])
                position += 1
            }
        }
        return result
    }

    private static func unit(_ bytes: UnsafeBufferPointer<UInt8>, _ position: inout Int, _ end: Int) -> UInt32? {
        guard position + 4 <= end else { return nil }
        var value: UInt32 = 0
        for byte in bytes[position..<position + 4] {
            guard let digit = PercentEncoding.hexadecimal(byte) else { return nil }
            value = value << 4 | UInt32(digit)
        }
        position += 4
        return value
    }
}
