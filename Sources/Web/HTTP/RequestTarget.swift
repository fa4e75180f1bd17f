// SPDX-License-Identifier: Apache-2.0

internal import Kernel

/// The target of a request line: origin form or absolute form (RFC 9112 section 3.2).
public struct RequestTarget: Sendable {
    /// Percent-encoded where needed (RFC 3986 section 6.2.2.2); begins with `/`, or is `*`.
    public var path: String
    /// Decoded pairs in order. `+` is a space; a pair without `=` has an empty value. Invalid escapes are kept, so that the
    /// pair is reported as unknown or wrong.
    public var query: [(name: String, value: String)] = []
    /// Of the absolute form, as sent, it replaces the Host field (RFC 9112 section 3.2.2); nil in origin form.
    public var authority: String?

    /// Whether the target has a form that this server supports.
    public var isKnownForm: Bool { authority != nil || path.utf8.first == UInt8(ascii: "/") || path == "*" }

    /// Whether the text has no control characters and spaces (RFC 9112 section 3.2).
    public static func isVisible(_ text: String) -> Bool { text.utf8.allSatisfy { $0 > 32 && $0 != 127 } }

    public init(_ text: String) {
        var rest = text[...]
        if let scheme = ["http://", "https://"].first(where: { text.prefix($0.count).equalsIgnoringASCIICase($0) }) {
            rest = rest.dropFirst(scheme.count)
            let end = rest.utf8.firstIndex { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") } ?? rest.endIndex
            authority = String(rest[..<end])
            rest = rest[end...]
        }
        if let mark = rest.utf8.firstIndex(of: UInt8(ascii: "?")) {
            query = rest[rest.utf8.index(after: mark)...].split(separator: "&").map { pair in
                let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                return (name: Self.decoded(parts[0]), value: parts.count > 1 ? Self.decoded(parts[1]) : "")
            }
            rest = rest[..<mark]
        }
        path = rest.isEmpty ? "/" : PercentEncoding.decodeUnreserved(rest)
    }

    private static func decoded(_ text: Substring) -> String {
        PercentEncoding.decode(text, plusIsSpace: true) ?? String(text)
    }
}
