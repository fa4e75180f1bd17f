// SPDX-License-Identifier: Apache-2.0

internal import Kernel

/// The query of a request target as pairs.
public enum HTTPQuery {
    /// Pairs in their order; `+` is a space; a pair without `=` has an empty value. A piece that does not decode is
    /// kept as it was sent, so that it is seen as an unknown name or wrong value and not lost.
    public static func parse(_ text: some StringProtocol) -> [(name: String, value: String)] {
        guard !text.isEmpty else { return [] }
        return text.split(separator: "&").map { pair in
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return (name: decoded(parts[0]), value: parts.count > 1 ? decoded(parts[1]) : "")
        }
    }

    private static func decoded(_ text: some StringProtocol) -> String {
        PercentEncoding.decode(text, plusIsSpace: true) ?? String(text)
    }
}
