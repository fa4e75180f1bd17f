// SPDX-License-Identifier: Apache-2.0

internal import Kernel

/// A request line and header fields as they stand in a buffer (RFC 9112 sections 2-5): enough to recognise an upgrade and
/// to hand a WebSocket its request. Everything else is libmicrohttpd's to parse.
public struct RequestHead: Sendable {
    public var method: HTTPMethod
    public var target: String
    public var headers: HTTPHeaders

    /// `bytes` end with the blank line. nil when it is not HTTP/1.x.
    public init?(_ bytes: some Collection<UInt8>) {
        var lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).lazy
            .map { line in line.last == UInt8(ascii: "\r") ? line.dropLast() : line }
            .makeIterator()
        guard let first = lines.next() else { return nil }
        let parts = first.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
        guard parts.count == 3, !parts[0].isEmpty, !parts[1].isEmpty, parts[2].starts(with: "HTTP/1.".utf8),
            let target = String(validating: parts[1], as: UTF8.self)
        else { return nil }
        method = HTTPMethod(rawValue: String(decoding: parts[0], as: UTF8.self))
        self.target = target
        headers = HTTPHeaders(reserving: bytes.count)
        while let line = lines.next(), !line.isEmpty {
            // No space before the colon (RFC 9112 section 5.1): others might read such a field.
            guard let colon = line.firstIndex(of: UInt8(ascii: ":")), colon != line.startIndex,
                line[..<colon].allSatisfy(HTTPToken.contains),
                let name = String(validating: line[..<colon], as: UTF8.self),
                let value = String(validating: line[line.index(after: colon)...], as: UTF8.self)
            else { return nil }
            headers.add(name, String(value.trimmingSpaces))
        }
    }

    /// Where the head ends: the index after its blank line; nil while that has not come.
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

    /// Why the first line is not `method target HTTP/1.x`; nil when it is. libmicrohttpd closes without an answer when it
    /// is not.
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

    /// Whether a head holds what no part of it may, and what readers of C strings take for its end (RFC 9112 section
    /// 2.2, RFC 9110 section 5.5): a control character that is neither a tab nor the end of a line.
    public static func hasControlCharacter(_ head: UnsafeRawBufferPointer) -> Bool {
        var previous: UInt8 = 0
        for byte in head {
            if byte < 32 && byte != 9 && byte != 10 && byte != 13 || byte == 127 { return true }
            // A carriage return is one half of a line's end.
            if previous == 13, byte != 10 { return true }
            previous = byte
        }
        return false
    }

    /// RFC 6455 section 4.2.1: GET with `websocket` among the tokens of Upgrade.
    public var isWebSocketUpgrade: Bool {
        method == .get && headers.hasToken("websocket", in: "Upgrade")
    }
}

extension HTTPHeaders {
    /// Whether a comma-separated field contains the token, without case.
    public func hasToken(_ token: String, in name: String) -> Bool {
        values(name).contains { value in
            value.split(separator: ",").contains { $0.trimmingSpaces.equalsIgnoringASCIICase(token) }
        }
    }
}
