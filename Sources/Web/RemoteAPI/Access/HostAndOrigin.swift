// SPDX-License-Identifier: Apache-2.0

import Kernel

/// `name:port` of a Host header or an origin, in lower case.
struct Authority: Hashable, Sendable {
    var host: String
    var port: Int?

    /// nil unless the text is `host`, `host:port`, `[v6]` or `[v6]:port`.
    init?(_ text: some StringProtocol) {
        let text = text.lowercased()
        let hostEnd: String.Index
        if text.hasPrefix("[") {
            guard let bracket = text.firstIndex(of: "]") else { return nil }
            hostEnd = text.index(after: bracket)
        } else {
            hostEnd = text.firstIndex(of: ":") ?? text.endIndex
        }
        host = String(text[..<hostEnd])
        if host.hasSuffix(".") { host.removeLast() }
        let rest = text[hostEnd...]
        // RFC 3986 section 3.2.3: the port may be empty.
        if rest.isEmpty || rest == ":" {
            port = nil
        } else {
            guard rest.first == ":", let number = UInt16(rest.dropFirst()) else { return nil }
            port = Int(number)
        }
        let isName = host.utf8.allSatisfy { PercentEncoding.isAlphanumeric($0) || ".-_:[]%".utf8.contains($0) }
        guard !host.isEmpty, isName else { return nil }
    }

    /// DNS rebinding cannot point numeric addresses to another machine.
    var isIPLiteral: Bool {
        if host.hasPrefix("[") {
            let digits = host.dropFirst().prefix { $0 != "%" && $0 != "]" }
            return host.hasSuffix("]") && digits.contains(":")
                && digits.allSatisfy { $0.isHexDigit || ":.".contains($0) }
        }
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts.allSatisfy { UInt8($0) != nil && $0.utf8.allSatisfy { $0 < 58 && $0 > 47 } }
    }

    /// Whether a page of this `Origin` was served under the same host and port. `null` and malformed origins never match.
    func isOrigin(_ text: String) -> Bool {
        for (scheme, usual) in [("http://", 80), ("https://", 443)] where text.hasPrefix(scheme) {
            guard let page = Authority(text.dropFirst(scheme.count)) else { return false }
            return page.host == host && (page.port ?? usual) == (port ?? usual)
        }
        return false
    }
}
