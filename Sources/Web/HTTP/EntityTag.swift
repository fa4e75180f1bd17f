// SPDX-License-Identifier: Apache-2.0

internal import Kernel

/// RFC 9110 section 8.8.3.
public struct EntityTag: Hashable, Sendable, CustomStringConvertible {
    /// Without the quotes.
    public var value: String
    public var isWeak: Bool

    public init(_ value: String, weak: Bool = false) {
        self.value = value
        isWeak = weak
    }

    /// Parses a tag with its quotes and an optional `W/`.
    public init?(parsing text: some StringProtocol) {
        let weak = text.hasPrefix("W/")
        let quoted = Substring(text).dropFirst(weak ? 2 : 0)
        guard quoted.utf8.count >= 2, quoted.utf8.first == UInt8(ascii: "\""), quoted.utf8.last == UInt8(ascii: "\"")
        else { return nil }
        let inner = quoted.dropFirst().dropLast()
        guard inner.utf8.allSatisfy({ $0 == 0x21 || ($0 >= 0x23 && $0 != 0x7F) }) else { return nil }
        self.init(String(inner), weak: weak)
    }

    public var description: String { isWeak ? "W/\"\(value)\"" : "\"\(value)\"" }

    public func matchesStrongly(_ other: EntityTag) -> Bool { !isWeak && !other.isWeak && value == other.value }
}

extension HTTPHeaders {
    /// Whether If-None-Match matches this tag; nil without the field. A malformed field matches nothing.
    public func ifNoneMatchRefuses(_ tag: EntityTag) -> Bool? {
        guard let field = combined("If-None-Match") else { return nil }
        switch EntityTagCondition(parsing: field) {
        case .any?: return true
        // Weak comparison (RFC 9110 section 13.1.2).
        case .tags(let tags)?: return tags.contains { $0.value == tag.value }
        case nil: return false
        }
    }
}

/// The value of If-Match or If-None-Match (RFC 9110 section 13.1).
public enum EntityTagCondition: Hashable, Sendable {
    case any
    case tags([EntityTag])

    /// nil if `text` is malformed. The caller joins several fields with commas.
    public init?(parsing text: String) {
        var rest = text.trimmingSpaces
        if rest == "*" {
            self = .any
            return
        }
        func skipCommas() { while rest.first == "," { rest = rest.dropFirst().trimmingSpaces } }
        var tags: [EntityTag] = []
        // Empty elements of the list do not count (RFC 9110 section 5.6.1.2).
        skipCommas()
        while !rest.isEmpty {
            let weak = rest.hasPrefix("W/")
            let opening = weak ? rest.dropFirst(2) : rest
            guard opening.first == "\"", let closing = opening.dropFirst().firstIndex(of: "\""),
                let tag = EntityTag(parsing: rest[...closing])
            else { return nil }
            tags.append(tag)
            rest = rest[opening.index(after: closing)...].trimmingSpaces
            guard rest.isEmpty || rest.first == "," else { return nil }
            skipCommas()
        }
        guard !tags.isEmpty else { return nil }
        self = .tags(tags)
    }
}
