// SPDX-License-Identifier: Apache-2.0

internal import Kernel

/// An `http:` or `https:` URL, parsed as far as needed (RFC 3986, section 3).
public struct WebAddress: Hashable, Sendable {
    /// Bytes of a reference in a redirect, list or playlist. Longer ones are refused before they are parsed.
    static let longestReference = 4_096

    /// Percent-encoded where necessary, never twice. May contain credentials: never show it.
    public let url: String
    public let isSecure: Bool
    /// Lower case, without brackets or port.
    public let host: String
    let port: Int
    private let path: Substring

    /// nil if `text` is not such a URL with a host.
    public init?(_ text: String) {
        guard let colon = text.firstIndex(of: ":") else { return nil }
        switch text[..<colon].lowercased() {
        case "http": isSecure = false
        case "https": isSecure = true
        default: return nil
        }
        let rest = text[text.index(after: colon)...]
        guard rest.hasPrefix("//"), !text.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) else { return nil }
        let afterScheme = rest.dropFirst(2)
        let authorityEnd = afterScheme.firstIndex { "/?#".contains($0) } ?? afterScheme.endIndex
        let authority = afterScheme[..<authorityEnd]
        let hostAndPort =
            authority.utf8.lastIndex(of: UInt8(ascii: "@"))
            .map { authority[authority.utf8.index(after: $0)...] } ?? authority
        let isInBrackets = hostAndPort.hasPrefix("[")
        guard let (host, port) = Self.split(hostAndPort), !host.isEmpty,
            host.utf8.allSatisfy({ Self.mayStand($0, inBrackets: isInBrackets) })
        else { return nil }
        self.host = host.lowercased()
        self.port = port ?? (isSecure ? 443 : 80)
        let tail = afterScheme[authorityEnd...].prefix { $0 != "#" }
        path = tail.prefix { $0 != "?" }
        let encodedTail = (tail.hasPrefix("/") ? "" : "/") + Self.encoded(tail)
        url = (isSecure ? "https://" : "http://") + Self.encodedAuthority(authority, hostAndPort) + encodedTail
    }

    /// The name in messages: the host, a port other than the scheme's, and the last path segment. Never credentials or the query.
    public var name: String {
        let shownHost = host.contains(":") ? "[\(host)]" : host
        let server = port == (isSecure ? 443 : 80) ? shownHost : "\(shownHost):\(port)"
        guard let last = path.split(separator: "/").last.map(String.init) else { return server }
        let decoded = PercentEncoding.decode(last) ?? last
        let isReadable = decoded.unicodeScalars.allSatisfy { $0.value >= 0x20 }
        return "\(server)/\((isReadable ? decoded : last).prefix(120))"
    }

    /// Whether fields meant for `other` may be sent to this address: the same origin, or the same host's default TLS port.
    func mayReceiveFields(of other: WebAddress) -> Bool {
        guard host == other.host else { return false }
        if (isSecure, port) == (other.isSecure, other.port) { return true }
        return isSecure && !other.isSecure && port == 443 && other.port == 80
    }

    /// Resolves a reference relative to this address (RFC 3986, section 5.2.2). Credentials are dropped if the host changes.
    func redirected(to location: String) -> WebAddress? {
        guard location.utf8.count <= Self.longestReference else { return nil }
        let reference = location.trimmingSpaces
        guard !reference.isEmpty else { return nil }
        if let scheme = reference.firstIndex(of: ":"),
            reference[..<scheme].allSatisfy({ $0.isLetter || $0.isNumber || "+-.".contains($0) }),
            reference.first?.isLetter == true
        {
            return WebAddress(String(reference))
        }
        let scheme = isSecure ? "https:" : "http:"
        if reference.hasPrefix("//") { return WebAddress(scheme + reference) }
        let afterScheme = url.dropFirst(scheme.count + 2)
        let authority = afterScheme.prefix { $0 != "/" }
        if reference.hasPrefix("/") { return WebAddress(scheme + "//" + authority + Self.withoutDots(reference)) }
        let base = afterScheme.dropFirst(authority.count).prefix { $0 != "?" }
        if reference.hasPrefix("?") { return WebAddress(scheme + "//" + authority + base + reference) }
        let folder = base.utf8.lastIndex(of: UInt8(ascii: "/")).map { base[..<base.utf8.index(after: $0)] } ?? "/"
        return WebAddress(scheme + "//" + authority + Self.withoutDots(folder + reference))
    }

    private static func split(_ text: Substring) -> (String, Int?)? {
        if text.hasPrefix("[") {
            guard let end = text.firstIndex(of: "]") else { return nil }
            let rest = text[text.index(after: end)...]
            guard rest.isEmpty || rest.hasPrefix(":") else { return nil }
            return port(rest.dropFirst()).map { (String(text[text.index(after: text.startIndex)..<end]), $0) }
        }
        guard let colon = text.utf8.lastIndex(of: UInt8(ascii: ":")) else { return (String(text), nil) }
        return port(text[text.utf8.index(after: colon)...]).map { (String(text[..<colon]), $0) }
    }

    /// RFC 3986, section 3.2.2, and non-ASCII letters, which libcurl converts to Punycode.
    private static func mayStand(_ byte: UInt8, inBrackets: Bool) -> Bool {
        PercentEncoding.isAlphanumeric(byte) || byte >= 0x80
            || (inBrackets ? "%:.-_~" : "%-._~!$&'()*+,;=").utf8.contains(byte)
    }

    /// nil: invalid; `.some(nil)`: none given.
    private static func port(_ text: Substring) -> Int?? {
        if text.isEmpty { return .some(nil) }
        guard let number = UInt16(text), number > 0 else { return nil }
        return .some(Int(number))
    }
}

extension WebAddress {
    /// Escapes bytes that a URL may not contain as `%XX`; keeps existing escapes.
    private static func encoded(_ text: some StringProtocol) -> String {
        let bytes = Array(text.utf8)
        var result: [UInt8] = []
        for (index, byte) in bytes.enumerated() {
            let digits = bytes[(index + 1)...].prefix(2).compactMap(PercentEncoding.hexadecimal)
            let isEscape = byte == UInt8(ascii: "%") && digits.count == 2
            if isEscape || (byte != UInt8(ascii: "%") && isAllowed(byte)) {
                result.append(byte)
            } else {
                result += PercentEncoding.escape(byte)
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    /// Keeps the host, which libcurl converts to Punycode.
    private static func encodedAuthority(_ authority: Substring, _ hostAndPort: Substring) -> String {
        let credentials = authority[..<hostAndPort.startIndex]
        return (credentials.isEmpty ? "" : encoded(Substring(credentials.utf8.dropLast())) + "@") + hostAndPort
    }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        PercentEncoding.isAlphanumeric(byte) || "-._~!$&'()*+,;=:@/?".utf8.contains(byte)
    }

    /// Removes dot segments (RFC 3986, section 5.2.4); keeps the query.
    private static func withoutDots(_ reference: some StringProtocol) -> String {
        let path = reference.prefix { $0 != "?" }
        var segments: [Substring] = []
        let given = path.split(separator: "/", omittingEmptySubsequences: false).dropFirst().map { Substring($0) }
        for (index, segment) in given.enumerated() {
            let isLast = index == given.count - 1
            switch segment {
            case ".": if isLast { segments.append("") }
            case "..":
                if !segments.isEmpty { segments.removeLast() }
                if isLast { segments.append("") }
            default: segments.append(segment)
            }
        }
        return "/" + segments.joined(separator: "/") + reference.dropFirst(path.count)
    }
}
