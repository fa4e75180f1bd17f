// SPDX-License-Identifier: Apache-2.0

internal import Kernel

/// The target of a request line: origin form or absolute form (RFC 9112 section 3.2).
public struct RequestTarget: Sendable {
    /// Still percent-encoded, but for what need not be (RFC 3986 section 6.2.2.2); begins with `/`, or is `*`.
    public var path: String
    public var query: [(name: String, value: String)]
    /// Of the absolute form, as sent: takes the place of the Host field (RFC 9112 section 3.2.2); nil in origin form.
    public var authority: String?

    /// Whether it has one of the forms that are answered here: what has none is for nobody.
    public var isKnownForm: Bool { authority != nil || path.utf8.first == UInt8(ascii: "/") || path == "*" }

    /// Without control characters and spaces (RFC 9112 section 3.2).
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
            query = HTTPQuery.parse(rest[rest.utf8.index(after: mark)...])
            rest = rest[..<mark]
        } else {
            query = []
        }
        path = rest.isEmpty ? "/" : PercentEncoding.decodeUnreserved(rest)
    }
}
