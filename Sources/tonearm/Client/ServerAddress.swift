// SPDX-License-Identifier: Apache-2.0

/// Where the server is that a client command speaks to.
struct ServerAddress: Hashable, CustomStringConvertible {
    /// Without brackets.
    var host: String
    var port: UInt16
    /// The path before `/api/v1`, where a proxy serves Tonearm below a path; no slash at its end.
    var prefix = ""

    /// `text` as given with `source`, which is named when it is wrong.
    init(_ text: String, source: String) throws {
        var rest = text[...]
        if rest.hasPrefix("https://") {
            throw Failure.configuration(
                "\(source): \(text): client commands support http: only, as the server does; give the server's own address, "
                    + "not that of a proxy with TLS (from elsewhere use ssh -L or a VPN).")
        }
        if rest.hasPrefix("http://") { rest = rest.dropFirst(7) }
        // The printed link of the server is accepted as it is; its token comes separately.
        rest = rest.prefix { $0 != "#" && $0 != "?" }
        let unknown = Failure.configuration("\(source): “\(text)” is not an address such as http://127.0.0.1:8080.")
        if rest.contains("://") { throw unknown }
        let path = rest.drop { $0 != "/" }
        rest = rest.prefix { $0 != "/" }
        var port = UInt16(80)
        let colon = rest.lastIndex(of: ":").flatMap { index in rest[index...].contains("]") ? nil : index }
        if let colon {
            guard let number = UInt16(rest[rest.index(after: colon)...]), number > 0 else {
                throw Failure.configuration("\(source): \(text): the port must be a number from 1 to 65535.")
            }
            port = number
            rest = rest[..<colon]
        }
        if rest.hasPrefix("["), rest.hasSuffix("]") { rest = rest.dropFirst().dropLast() }
        guard !rest.isEmpty, !rest.contains(where: { $0.isWhitespace || $0 == "@" || $0.isNewline }) else {
            throw unknown
        }
        host = String(rest)
        self.port = port
        prefix = String(path)
        while prefix.hasSuffix("/") { prefix.removeLast() }
    }

    /// Flag, then `TONEARM_SERVER`, then where `tonearm serve` would listen in this environment.
    static func find(_ flag: String?, _ environment: [String: String]) throws -> ServerAddress {
        if let flag { return try ServerAddress(flag, source: "--server") }
        if let value = environment["TONEARM_SERVER"], !value.isEmpty {
            return try ServerAddress(value, source: "TONEARM_SERVER")
        }
        var host = environment["TONEARM_HOST"] ?? ""
        if host.isEmpty || host == "0.0.0.0" { host = "127.0.0.1" }
        if host == "::" { host = "::1" }
        let port = environment["TONEARM_PORT"].flatMap { $0.isEmpty ? nil : $0 } ?? "8080"
        return try ServerAddress("http://\(bracketed(host)):\(port)", source: "TONEARM_HOST and TONEARM_PORT")
    }

    /// As the Host header names it.
    var authority: String { "\(Self.bracketed(host)):\(port)" }

    /// A host as it stands before a port: IPv6 addresses in brackets (RFC 3986 section 3.2.2).
    static func bracketed(_ host: String) -> String { host.contains(":") ? "[\(host)]" : host }

    var description: String { "http://\(authority)\(prefix)" }
}
