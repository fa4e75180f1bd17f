// SPDX-License-Identifier: Apache-2.0

/// The address of the server that a client command uses.
struct ServerAddress: Hashable, CustomStringConvertible {
    /// Without brackets.
    var host: String
    var port: UInt16
    /// The path before `/api/v1`, for a proxy that serves Tonearm below a path. No trailing slash.
    var prefix = ""
    /// The token of a printed link.
    var token: String?

    /// `source`: where `text` came from, for the error message.
    init(_ text: String, source: String) throws {
        var rest = text[...]
        if rest.hasPrefix("https://") {
            throw Failure.configuration(
                "\(source): \(text): client commands support http: only, as the server does; give the server's own address, "
                    + "not that of a proxy with TLS (from elsewhere use ssh -L or a VPN).")
        }
        // Without a port: 80 for a URL, as in a browser, and the server's own for a mere name.
        var port = UInt16(8080)
        if rest.hasPrefix("http://") {
            rest = rest.dropFirst(7)
            port = 80
        }
        if let border = rest.firstRange(of: "#token=") { token = String(rest[border.upperBound...]) }
        rest = rest.prefix { $0 != "#" && $0 != "?" }
        let unknown = Failure.configuration("\(source): “\(text)” is not an address such as http://127.0.0.1:8080.")
        if rest.contains("://") { throw unknown }
        let path = rest.drop { $0 != "/" }
        rest = rest.prefix { $0 != "/" }
        let colon = rest.utf8.lastIndex(of: UInt8(ascii: ":")).flatMap { index in
            rest[index...].contains("]") ? nil : index
        }
        if let colon {
            guard let number = UInt16(rest[rest.utf8.index(after: colon)...]), number > 0 else {
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

    /// The flag, else `TONEARM_SERVER`, else the address at which `tonearm serve` would listen in this environment.
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

    /// The value of the Host header.
    var authority: String { "\(Self.bracketed(host)):\(port)" }

    /// Puts IPv6 addresses in brackets, as required before a port (RFC 3986, section 3.2.2).
    static func bracketed(_ host: String) -> String { host.contains(":") ? "[\(host)]" : host }

    var description: String { "http://\(authority)\(prefix)" }
}
