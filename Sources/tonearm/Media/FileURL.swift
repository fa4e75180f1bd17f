// SPDX-License-Identifier: Apache-2.0

import HTTP

/// `file:` URLs (RFC 8089) of this machine.
enum FileURL {
    /// Of an absolute path.
    static func text(_ path: String) -> String { "file://" + PercentEscape.path(path) }

    /// nil when it names another machine or no absolute path.
    static func path(_ url: String) -> String? {
        var rest = url.dropFirst(5)
        if rest.hasPrefix("//") {
            rest = rest.dropFirst(2)
            if rest.hasPrefix("localhost/") { rest = rest.dropFirst(9) }
        }
        return rest.hasPrefix("/") ? PercentEncoding.decode(rest) : nil
    }
}

/// Percent-encoding (RFC 3986 section 2.1) of what comes from the user into an address.
enum PercentEscape {
    /// Keeps slashes.
    static func path(_ text: String) -> String { escaped(text, keeping: "-._~/") }

    /// For a query's value or one segment of a path.
    static func component(_ text: String) -> String { escaped(text, keeping: "-._~") }

    private static func escaped(_ text: String, keeping marks: StaticString) -> String {
        let kept = UnsafeBufferPointer(start: marks.utf8Start, count: marks.utf8CodeUnitCount)
        let digits = Array("0123456789ABCDEF".utf8)
        var bytes: [UInt8] = []
        for byte in text.utf8 {
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: bytes.append(byte)
            case _ where kept.contains(byte): bytes.append(byte)
            default: bytes += [0x25, digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
