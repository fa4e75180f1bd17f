// SPDX-License-Identifier: Apache-2.0

internal import Kernel
import HTTP
import Service

/// Who may do what: a pure decision from a request's head. Tokens, names and origins are given from outside.
public struct AccessPolicy: Sendable {
    /// Whom to serve without a token.
    public enum Anonymous: Sendable {
        /// Only clients on this machine (the default), and none of them through a proxy.
        case loopback
        case everyone
        case nobody
    }

    public var tokens: [AccessToken]
    public var anonymous: Anonymous
    private let hosts: Set<String>
    private let origins: Set<String>

    /// - Parameters:
    ///   - machineName: also accepted with `.local` after it.
    ///   - allowedHosts: names without port.
    ///   - allowedOrigins: as a browser sends them: `https://music.example`.
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

    /// Whether a Host header can ever have this name.
    public static func isHost(_ text: String) -> Bool { Authority(text) != nil }

    /// Whether a browser ever sends this origin: in lower case, without a path and the scheme's own port.
    public static func isOrigin(_ text: String) -> Bool {
        let text = text.hasSuffix("/") ? text.dropLast() : text[...]
        guard let border = text.firstRange(of: "://"), text == text.lowercased()[...] else { return text == "null" }
        let (scheme, authority) = (text[..<border.lowerBound], text[border.upperBound...])
        guard scheme.first?.isLetter == true, scheme.utf8.allSatisfy(HTTPToken.contains),
            let parts = Authority(authority), parts.host + (parts.port.map { ":\($0)" } ?? "") == authority
        else { return false }
        return (scheme, parts.port) != ("http", 80) && (scheme, parts.port) != ("https", 443)
    }

    /// The scope that the client has; `origin` is set when cross-origin headers are due.
    struct Grant: Sendable {
        var scope: AccessScope?
        var origin: String?
    }

    /// `needed`: nil is open to everyone who may reach the server. `refusesForeignOrigin`: for writes and events, which a browser's
    /// page from elsewhere must not cause or read.
    func decide(
        _ request: HTTPRequest, _ needed: AccessScope?, refusesForeignOrigin: Bool
    ) throws(Problem) -> Grant {
        guard let hostText = request.headers["Host"], !hostText.isEmpty else {
            throw Problem(.malformed, "host-missing", "The request needs a Host header.")
        }
        guard let host = Authority(hostText), host.isIPLiteral || hosts.contains(host.host) else {
            throw Problem(
                .forbidden, "host-not-allowed",
                "This server does not answer under that host name; allow it with --allow-host.")
        }
        let given = request.headers.values("Origin")
        // A browser sends one. Of two, whoever passes requests on may believe the other.
        guard given.count <= 1 else { throw Self.originNotAllowed }
        let origin = given.first
        let isListed = origin.map(origins.contains) ?? false
        if refusesForeignOrigin, let origin, !isListed, !host.isOrigin(origin) {
            throw Self.originNotAllowed
        }
        guard request.headers.values("Sec-Fetch-Site").count <= 1 else {
            throw .malformed("Sec-Fetch-Site must be given once.")
        }
        // One rule for all methods: a picture or a link in a page from elsewhere sends no Origin, but browsers name where the
        // request comes from (Fetch Metadata).
        if request.path.hasPrefix("/api/"), Self.comesFromElsewhere(request), !isListed,
            origin.map({ !host.isOrigin($0) }) ?? true
        {
            throw Self.originNotAllowed
        }
        let corsOrigin = isListed ? origin : nil
        guard let needed else { return Grant(scope: nil, origin: corsOrigin) }
        let scope = try scope(of: request)
        guard scope >= needed else { throw .scopeMissing(needed) }
        return Grant(scope: scope, origin: corsOrigin)
    }

    private static let originNotAllowed = Problem(
        .forbidden, "origin-not-allowed",
        "Pages from that origin may not use this server; allow it with --allow-origin.")

    /// A token that is given must be right, also where none is needed.
    private func scope(of request: HTTPRequest) throws(Problem) -> AccessScope {
        if let token = Self.token(in: request.headers) {
            guard let scope = tokens.scope(of: token) else { throw .tokenWrong }
            return scope
        }
        switch (anonymous, request.peer) {
        case (.everyone, _): return .admin
        // Behind a proxy on this machine anybody may be.
        case (.loopback, .loopback) where !request.headers.nameAProxy: return .admin
        default:
            throw Problem(.door(401), "token-missing", "A token is needed: send it as Authorization: Bearer TOKEN.")
                .with("WWW-Authenticate", "Bearer realm=\"tonearm\"")
        }
    }

    private static func comesFromElsewhere(_ request: HTTPRequest) -> Bool {
        guard let site = request.headers["Sec-Fetch-Site"] else { return false }
        return site != "same-origin" && site != "none"
    }

    /// From `Authorization: Bearer` or, for a browser's WebSocket, the subprotocol `bearer.TOKEN`. An Authorization
    /// header of another scheme gives an empty token, which is never right.
    static func token(in headers: HTTPHeaders) -> String? {
        if let authorization = headers["Authorization"] {
            let parts = authorization.split(separator: " ", maxSplits: 1)
            guard parts.count == 2, parts[0].equalsIgnoringASCIICase("Bearer") else { return "" }
            return String(parts[1].trimmingSpaces)
        }
        for protocolName in subprotocols(in: headers) where protocolName.hasPrefix("bearer.") {
            return String(protocolName.dropFirst("bearer.".count))
        }
        return nil
    }

    static func subprotocols(in headers: HTTPHeaders) -> [Substring] {
        headers.values("Sec-WebSocket-Protocol").flatMap { value in
            value.split(separator: ",").map { $0.trimmingSpaces }
        }
    }

    func isListed(origin: String) -> Bool { origins.contains(origin) }
}

/// What a client may do; each scope includes those before it.
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

    /// Compares in a time that depends on the candidate's length only, not on where the two differ.
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
    /// The highest scope that the candidate gives. Looks at every token, whichever matches.
    func scope(of candidate: String) -> AccessScope? {
        reduce(nil) { found, token in
            guard token.matches(candidate) else { return found }
            return Swift.max(found ?? .read, token.scope)
        }
    }
}
