// SPDX-License-Identifier: Apache-2.0

internal import Kernel
import HTTP
import Service

/// Authorises requests by their heads. A pure value.
public struct AccessPolicy: Sendable {
    /// The clients that need no token.
    public enum Anonymous: Sendable {
        /// Clients on this machine (the default), except through a proxy.
        case loopback
        case everyone
        case nobody
    }

    public var tokens: [AccessToken]
    public var anonymous: Anonymous
    private let hosts: Set<String>
    private let origins: Set<String>

    /// - Parameters:
    ///   - machineName: also accepted with `.local` appended.
    ///   - allowedHosts: names without port.
    ///   - allowedOrigins: as sent by a browser: `https://music.example`.
    public init(
        tokens: [AccessToken] = [], anonymous: Anonymous = .loopback, machineName: String? = nil,
        allowedHosts: [String] = [], allowedOrigins: [String] = []
    ) {
        self.tokens = tokens
        self.anonymous = anonymous
        var names = allowedHosts
        if let machineName { names += [machineName, machineName + ".local"] }
        hosts = Set(names.compactMap { Authority($0)?.host } + ["localhost"])
        origins = Set(allowedOrigins.map { $0.hasSuffix("/") ? String($0.dropLast()) : $0 })
    }

    /// Whether the text is a valid host name.
    public static func isHost(_ text: String) -> Bool { Authority(text) != nil }

    /// Whether a browser can send this origin: lower case, without a path and without the scheme's default port.
    public static func isOrigin(_ text: String) -> Bool {
        let text = text.hasSuffix("/") ? text.dropLast() : text[...]
        guard let border = text.firstRange(of: "://"), text == text.lowercased()[...] else { return text == "null" }
        let (scheme, authority) = (text[..<border.lowerBound], text[border.upperBound...])
        guard scheme.first?.isLetter == true, scheme.utf8.allSatisfy(HTTPToken.contains),
            let parts = Authority(authority), parts.host + (parts.port.map { ":\($0)" } ?? "") == authority
        else { return false }
        return (scheme, parts.port) != ("http", 80) && (scheme, parts.port) != ("https", 443)
    }

    /// Returns the client's scope; nil if no scope is `needed`. `refusesForeignOrigin`: for writes and events, which
    /// pages of other origins must not cause or read.
    func decide(
        _ request: HTTPRequest, _ needed: AccessScope?, refusesForeignOrigin: Bool
    ) throws(Problem) -> AccessScope? {
        guard let hostText = request.headers["Host"], !hostText.isEmpty else {
            throw Problem(.malformed, "host-missing", "The request needs a Host header.")
        }
        guard let host = Authority(hostText), host.isIPLiteral || hosts.contains(host.host) else {
            throw Problem(
                .forbidden, "host-not-allowed",
                "This server does not answer under that host name; allow it with --allow-host.")
        }
        let given = request.headers.values("Origin")
        // A browser sends one. Of two, a proxy might check the other.
        guard given.count <= 1 else { throw Self.originNotAllowed }
        let origin = given.first
        let isListed = self.origin(of: request) != nil
        if refusesForeignOrigin, let origin, !isListed, !host.isOrigin(origin) {
            throw Self.originNotAllowed
        }
        guard request.headers.values("Sec-Fetch-Site").count <= 1 else {
            throw .malformed("Sec-Fetch-Site must be given once.")
        }
        // For all methods: a picture or a link in a foreign page sends no Origin, but browsers send Sec-Fetch-Site (Fetch
        // Metadata).
        if request.path.hasPrefix("/api/"), Self.isCrossSite(request), !isListed,
            origin.map({ !host.isOrigin($0) }) ?? true
        {
            throw Self.originNotAllowed
        }
        guard let needed else { return nil }
        let scope = try scope(of: request)
        guard scope >= needed else { throw .scopeMissing(needed) }
        return scope
    }

    private static let originNotAllowed = Problem(
        .forbidden, "origin-not-allowed",
        "Pages from that origin may not use this server; allow it with --allow-origin.")

    /// A token must be right even if none is needed.
    private func scope(of request: HTTPRequest) throws(Problem) -> AccessScope {
        if let token = Self.token(in: request.headers) {
            return try tokens.scope(of: token).orThrow(.tokenWrong)
        }
        switch (anonymous, request.peer) {
        case (.everyone, _): return .admin
        // Behind a proxy on this machine the client can be anyone.
        case (.loopback, .loopback) where !request.headers.isForwarded: return .admin
        default:
            throw Problem(.door(401), "token-missing", "A token is needed: send it as Authorization: Bearer TOKEN.")
                .with("WWW-Authenticate", "Bearer realm=\"tonearm\"")
        }
    }

    private static func isCrossSite(_ request: HTTPRequest) -> Bool {
        guard let site = request.headers["Sec-Fetch-Site"] else { return false }
        return site != "same-origin" && site != "none"
    }

    /// From `Authorization: Bearer` or, for a browser's WebSocket, the subprotocol `bearer.TOKEN`. Another scheme yields an
    /// empty token, which is never right.
    static func token(in headers: HTTPHeaders) -> String? {
        if let authorization = headers["Authorization"] {
            let parts = authorization.split(separator: " ", maxSplits: 1)
            guard parts.count == 2, parts[0].equalsIgnoringASCIICase("Bearer") else { return "" }
            return String(parts[1].trimmingSpaces)
        }
        let prefix = "bearer."
        let subprotocol = headers.list("Sec-WebSocket-Protocol").first { $0.hasPrefix(prefix) }
        return subprotocol.map { String($0.dropFirst(prefix.count)) }
    }

    /// The origin whose pages may read the response, also a refusal; nil if there is none.
    func origin(of request: HTTPRequest) -> String? {
        guard !origins.isEmpty else { return nil }
        let given = request.headers.values("Origin")
        return given.count == 1 && origins.contains(given[0]) ? given[0] : nil
    }
}

/// The rights of a client; each scope includes those before it.
public enum AccessScope: String, Comparable, CaseIterable, Sendable {
    case read, control, admin

    public static func < (left: AccessScope, right: AccessScope) -> Bool {
        left.rank < right.rank
    }

    private var rank: Int { Self.allCases.firstIndex(of: self)! }
}

/// A secret that gives a scope.
public struct AccessToken: Sendable {
    public var secret: String
    public var scope: AccessScope

    public init(secret: String, scope: AccessScope) {
        self.secret = secret
        self.scope = scope
    }

    /// Takes a time that depends only on the candidate's length, not on the position of the first difference.
    func matches(_ candidate: String) -> Bool {
        let secret = Array(secret.utf8)
        guard !secret.isEmpty else { return false }
        var difference: UInt8 = 0
        var count = 0
        for byte in candidate.utf8 {
            difference |= byte ^ secret[count % secret.count]
            count += 1
        }
        return difference == 0 && count == secret.count
    }
}

extension [AccessToken] {
    /// The highest scope of the matching tokens. Compares every token, to take the same time for each candidate.
    func scope(of candidate: String) -> AccessScope? {
        reduce(nil) { found, token in
            guard token.matches(candidate) else { return found }
            return Swift.max(found ?? .read, token.scope)
        }
    }
}
