// SPDX-License-Identifier: Apache-2.0

/// Percent-encoding (RFC 3986 section 2.1).
public enum PercentEncoding {
    /// nil if an escape is incomplete, or the result is not UTF-8 or contains NUL.
    public static func decode(_ text: some StringProtocol, plusIsSpace: Bool = false) -> String? {
        guard let bytes = decodedBytes(text.utf8, plusIsSpace: plusIsSpace), !bytes.contains(0) else { return nil }
        return String(validating: bytes, as: UTF8.self)
    }

    /// Decodes escaped letters, digits and `-._~` only: addresses that differ only in these are equivalent (RFC 3986 section
    /// 6.2.2.2).
    public static func decodeUnreserved(_ text: Substring) -> String {
        guard text.utf8.contains(UInt8(ascii: "%")) else { return String(text) }
        var bytes: [UInt8] = []
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%"), let high = rest.first.flatMap(hexadecimal),
                let low = rest.dropFirst().first.flatMap(hexadecimal), isUnreserved(high << 4 | low)
            else {
                bytes.append(byte)
                continue
            }
            bytes.append(high << 4 | low)
            rest = rest.dropFirst(2)
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func isUnreserved(_ byte: UInt8) -> Bool {
        isAlphanumeric(byte) || "-._~".utf8.contains(byte)
    }

    /// nil if an escape is incomplete.
    public static func decodedBytes(_ encoded: some Sequence<UInt8>, plusIsSpace: Bool = false) -> [UInt8]? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(encoded.underestimatedCount)
        var iterator = encoded.makeIterator()
        while let byte = iterator.next() {
            switch byte {
            case UInt8(ascii: "%"):
                guard let high = iterator.next().flatMap(hexadecimal), let low = iterator.next().flatMap(hexadecimal)
                else { return nil }
                bytes.append(high << 4 | low)
            case UInt8(ascii: "+") where plusIsSpace: bytes.append(UInt8(ascii: " "))
            default: bytes.append(byte)
            }
        }
        return bytes
    }

    /// Escapes everything except letters, digits and `marks`.
    public static func encode(_ text: String, keeping marks: StaticString = "-._~") -> String {
        marks.withUTF8Buffer { marks in
            encode(text.utf8) { isAlphanumeric($0) || marks.contains($0) }
        }
    }

    /// Escapes all bytes that `keeps` rejects; it may accept ASCII only.
    public static func encode(_ bytes: some Sequence<UInt8>, keeps: (UInt8) -> Bool) -> String {
        var encoded: [UInt8] = []
        for byte in bytes {
            if keeps(byte) { encoded.append(byte) } else { encoded += escape(byte) }
        }
        return String(decoding: encoded, as: UTF8.self)
    }

    public static func escape(_ byte: UInt8) -> [UInt8] {
        func digit(_ value: UInt8) -> UInt8 { value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "A") + value - 10 }
        return [UInt8(ascii: "%"), digit(byte >> 4), digit(byte & 15)]
    }

    public static func isAlphanumeric(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: false
        }
    }

    /// The value of a hexadecimal digit; nil for any other byte.
    public static func hexadecimal(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
