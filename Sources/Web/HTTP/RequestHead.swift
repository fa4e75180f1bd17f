// SPDX-License-Identifier: Apache-2.0

/// Checks of a request's head while it is still in the socket's buffer (RFC 9112 sections 2-5). libmicrohttpd parses
/// the rest.
public enum RequestHead {
    /// The index after the head's blank line; nil while the head is incomplete.
    public static func end(in bytes: UnsafeRawBufferPointer) -> Int? {
        var position = 0
        while position < bytes.count, let feed = bytes[position...].firstIndex(of: UInt8(ascii: "\n")) {
            let next = feed + 1
            if next < bytes.count, bytes[next] == UInt8(ascii: "\n") { return next + 1 }
            if next + 1 < bytes.count, bytes[next] == UInt8(ascii: "\r"), bytes[next + 1] == UInt8(ascii: "\n") {
                return next + 2
            }
            position = next
        }
        return nil
    }

    /// Checks that the first line is `method target HTTP/1.x`; nil if it is. libmicrohttpd would close the connection
    /// without a response.
    public static func refusal(ofLineIn bytes: UnsafeRawBufferPointer) -> ProblemDetails? {
        let line = bytes.prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }
        guard let method = line.firstIndex(of: UInt8(ascii: " ")), method > line.startIndex,
            let target = line.lastIndex(of: UInt8(ascii: " ")), target > method + 1,
            line[..<method].allSatisfy(HTTPToken.contains),
            line[(method + 1)..<target].allSatisfy({ $0 > 32 && $0 != 127 })
        else { return .malformedLine }
        let version = line[(target + 1)...].split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard version.count == 2, version[0].starts(with: "HTTP/".utf8), version[0].count == 6, version[1].count == 1,
            let (major, minor) = version[0].last.map({ ($0, version[1][version[1].startIndex]) }),
            (48...57).contains(major), (48...57).contains(minor)
        else { return .malformedLine }
        return major == UInt8(ascii: "1") ? nil : .otherVersion
    }

    /// Whether a head contains a control character that is neither a tab nor part of a line end, such as NUL, which ends C
    /// strings (RFC 9112 section 2.2, RFC 9110 section 5.5).
    public static func hasControlCharacter(_ head: UnsafeRawBufferPointer) -> Bool {
        var previous: UInt8 = 0
        for byte in head {
            if byte < 32 && byte != 9 && byte != 10 && byte != 13 || byte == 127 { return true }
            // A carriage return is valid only before a line feed.
            if previous == 13, byte != 10 { return true }
            previous = byte
        }
        return false
    }

    /// Whether a field has no name (RFC 9112 section 5). libmicrohttpd takes it for the blank line at the end of the head.
    public static func hasNamelessField(_ head: UnsafeRawBufferPointer) -> Bool {
        zip(head, head.dropFirst()).contains { $0 == UInt8(ascii: "\n") && $1 == UInt8(ascii: ":") }
    }
}
