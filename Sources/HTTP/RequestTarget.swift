// SPDX-License-Identifier: Apache-2.0

/// The target of a request line: origin form or absolute form (RFC 9112 section 3.2).
public struct RequestTarget: Sendable {
    /// Still percent-encoded; begins with `/`, or is `*`.
    public var path: String
    public var query: [(name: String, value: String)]

    public init(_ text: String) {
        var rest = text[...]
        if rest.utf8.first != UInt8(ascii: "/"), let authority = rest.firstRange(of: "://") {
            rest = rest[authority.upperBound...]
            rest = rest.firstIndex { $0 == "/" || $0 == "?" }.map { rest[$0...] } ?? ""
        }
        if let mark = rest.utf8.firstIndex(of: UInt8(ascii: "?")) {
            query = HTTPQuery.parse(rest[rest.utf8.index(after: mark)...])
            rest = rest[..<mark]
        } else {
            query = []
        }
        path = rest.isEmpty ? "/" : String(rest)
    }
}
