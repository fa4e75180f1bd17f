// SPDX-License-Identifier: Apache-2.0

internal import Kernel

/// Content negotiation (RFC 9110 section 12.5).
public enum Negotiation {
    /// Whether the client accepts a media type. The most specific range decides; without the field every type is accepted.
    public static func accepts(_ type: String, accept: String?) -> Bool {
        guard let accept, !accept.trimmingSpaces.isEmpty else { return true }
        return weight(in: accept, of: [type, type.prefix { $0 != "/" } + "/*", "*/*"]) > 0
    }

    /// Whether the client accepts a content coding; without the field it accepts only identity.
    public static func accepts(coding: String, acceptEncoding: String?) -> Bool {
        acceptEncoding.map { weight(in: $0, of: [coding, "*"]) > 0 } ?? false
    }

    /// The `;q=` (section 12.4.2) of the first of `tokens` that the comma-separated list contains; 0 if it contains none.
    private static func weight(in list: String, of tokens: [String]) -> Double {
        let entries = list.split(separator: ",").map { $0.split(separator: ";").map(\.trimmingSpaces) }
        for token in tokens {
            guard let entry = entries.first(where: { $0.first?.equalsIgnoringASCIICase(token) == true }) else {
                continue
            }
            let weight = entry.dropFirst().first { $0.hasPrefix("q=") || $0.hasPrefix("Q=") }
            return weight.map { quality($0.dropFirst(2)) } ?? 1
        }
        return 0
    }

    /// `0` to `1` with at most three decimals; anything else counts as 0.
    private static func quality(_ text: Substring) -> Double {
        guard let first = text.utf8.first, first == 48 || first == 49, text.utf8.count <= 5,
            text.utf8.allSatisfy({ $0 == UInt8(ascii: ".") || (48...57).contains($0) }), let value = Double(text)
        else { return 0 }
        return value <= 1 ? value : 0
    }
}
