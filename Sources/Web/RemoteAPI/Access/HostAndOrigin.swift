// SPDX-License-Identifier: Apache-2.0

import HTTP

/// `name:port` of a Host header or an origin, in lower case.
struct Authority: Hashable, Sendable {
    var host: String
    var port: Int?

    /// nil when it is no `host`, `host:port`, `[v6]` or `[v6]:port`.
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
        guard !host.isEmpty, host.utf8.allSatisfy(Self.isHostByte) else { return nil }
    }

    private static func isHostByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
        default: ".-_:[]%".utf8.contains(byte)
        }
    }

    /// Numeric addresses cannot be rebound to another machine by DNS.
    var isIPLiteral: Bool {
        if host.hasPrefix("[") {
            let digits = host.dropFirst().prefix { $0 != "%" && $0 != "]" }
            return host.hasSuffix("]") && digits.contains(":")
                && digits.allSatisfy { $0.isHexDigit || ":.".contains($0) }
        }
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts.allSatisfy { UInt8($0) != nil && $0.utf8.allSatisfy { $0 < 58 && $0 > 47 } }
    }
}

/// A browser's `Origin` header. `null` and whatever cannot be read is foreign to everyone.
struct Origin: Sendable {
    private let authority: Authority?
    private let defaultPort: Int

    init(_ text: String) {
        if text.hasPrefix("http://") {
            defaultPort = 80
            authority = Authority(text.dropFirst(7))
        } else if text.hasPrefix("https://") {
            defaultPort = 443
            authority = Authority(text.dropFirst(8))
        } else {
            defaultPort = 0
            authority = nil
        }
    }

    /// The page was served under the very name and port that it now talks to.
    func isSame(as host: Authority) -> Bool {
        guard let authority else { return false }
        return authority.host == host.host && (authority.port ?? defaultPort) == (host.port ?? defaultPort)
    }
}
