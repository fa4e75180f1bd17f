// SPDX-License-Identifier: Apache-2.0

/// `type/subtype` without parameters, in lower case (RFC 9110 section 8.3.1).
public struct MediaType: Hashable, Sendable, CustomStringConvertible {
    public var type: String
    public var subtype: String

    public init(_ type: String, _ subtype: String) {
        self.type = type
        self.subtype = subtype
    }

    /// Parameters after `;` are ignored.
    public init?(parsing text: some StringProtocol) {
        let essence = text.split(separator: ";", maxSplits: 1, omittingEmptySubsequences: false)[0]
        let parts = essence.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2 else { return nil }
        let type = String(parts[0]).trimmingSpaces
        let subtype = String(parts[1]).trimmingSpaces
        guard !type.isEmpty, !subtype.isEmpty else { return nil }
        self.init(type.lowercased(), subtype.lowercased())
    }

    public var description: String { "\(type)/\(subtype)" }

    /// The offer that an Accept field likes best, the earlier of equals; nil when it takes none. Without the field
    /// everything is welcome (RFC 9110 section 12.5.1: the most specific range decides).
    public static func preferred(among offers: [MediaType], accept: String?) -> MediaType? {
        guard let accept, !accept.trimmingSpaces.isEmpty else { return offers.first }
        let ranges = WeightedList.parse(accept).compactMap { entry in
            MediaType(parsing: entry.token).map { (range: $0, weight: entry.weight) }
        }
        func weight(_ offer: MediaType) -> Double {
            let exact = ranges.first { $0.range == offer }
            let family = ranges.first { $0.range.type == offer.type && $0.range.subtype == "*" }
            let any = ranges.first { $0.range.type == "*" && $0.range.subtype == "*" }
            return (exact ?? family ?? any)?.weight ?? 0
        }
        var best: (offer: MediaType, weight: Double)?
        for offer in offers {
            let weight = weight(offer)
            if weight > best?.weight ?? 0 { best = (offer, weight) }
        }
        return best?.offer
    }
}

/// Accept-Encoding (RFC 9110 section 12.5.3).
public enum ContentCoding {
    /// Whether the coding may be used; without the field only identity is.
    public static func accepts(_ coding: String, acceptEncoding: String?) -> Bool {
        guard let acceptEncoding else { return false }
        let list = WeightedList.parse(acceptEncoding)
        let entry = list.first { $0.token.equalsIgnoringASCIICase(coding) } ?? list.first { $0.token == "*" }
        return (entry?.weight ?? 0) > 0
    }
}

/// Comma-separated tokens with `;q=` weights (RFC 9110 section 12.4.2).
enum WeightedList {
    static func parse(_ text: String) -> [(token: Substring, weight: Double)] {
        text.split(separator: ",").compactMap { item in
            let parts = item.split(separator: ";").map(\.trimmingSpaces)
            guard let token = parts.first, !token.isEmpty else { return nil }
            let weight = parts.dropFirst().first { $0.hasPrefix("q=") || $0.hasPrefix("Q=") }
            return (token, weight.map { quality($0.dropFirst(2)) } ?? 1)
        }
    }

    /// `0` to `1` with at most three decimals; anything else counts as 0, the cautious side.
    private static func quality(_ text: Substring) -> Double {
        guard let first = text.utf8.first, first == 48 || first == 49, text.utf8.count <= 5,
            text.utf8.allSatisfy({ $0 == UInt8(ascii: ".") || (48...57).contains($0) }), let value = Double(text)
        else { return 0 }
        return value <= 1 ? value : 0
    }
}
