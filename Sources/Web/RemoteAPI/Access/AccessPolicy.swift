// SPDX-License-Identifier: Apache-2.0

import HTTP

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

    /// What a route asks of a client.
    struct Need {
        /// nil: open to everyone who may reach the server.
        var scope: AccessScope?
        /// Writes and events: a browser's page from elsewhere must not cause or read them.
        var refusesForeignOrigin: Bool
    }

    public enum Refusal: Error, Hashable, Sendable {
        case hostMissing
        case hostNotAllowed
        case originNotAllowed
        case tokenMissing
        case tokenWrong
        case scopeMissing(AccessScope)
    }

    /// The scope that the client has; `origin` is set when cross-origin headers are due.
    public struct Grant: Hashable, Sendable {
        public var scope: AccessScope?
        public var origin: String?
    }

    func decide(_ request: HTTPRequest, _ need: Need) -> Result<Grant, Refusal> {
        guard let hostText = request.headers["Host"], !hostText.isEmpty else { return .failure(.hostMissing) }
        guard let host = Authority(hostText), host.isIPLiteral || hosts.contains(host.host) else {
            return .failure(.hostNotAllowed)
        }
        let given = request.headers.values("Origin")
        // A browser sends one. Of two, whoever passes requests on may believe the other.
        guard given.count <= 1 else { return .failure(.originNotAllowed) }
        let origin = given.first
        let isListed = origin.map(origins.contains) ?? false
        if need.refusesForeignOrigin, let origin, !isListed, !Origin(origin).isSame(as: host) {
            return .failure(.originNotAllowed)
        }
        // One rule for all methods: a picture or a link in a page from elsewhere sends no Origin, but browsers name where the
        // request comes from (Fetch Metadata).
        if request.path.hasPrefix("/api/"), Self.comesFromElsewhere(request), !isListed,
            origin.map({ !Origin($0).isSame(as: host) }) ?? true
        {
            return .failure(.originNotAllowed)
        }
        let corsOrigin = isListed ? origin : nil
        guard let needed = need.scope else { return .success(Grant(scope: nil, origin: corsOrigin)) }
        switch scope(of: request) {
        case .failure(let refusal): return .failure(refusal)
        case .success(let scope) where scope < needed: return .failure(.scopeMissing(needed))
        case .success(let scope): return .success(Grant(scope: scope, origin: corsOrigin))
        }
    }

    /// A token that is given must be right, also where none is needed.
    private func scope(of request: HTTPRequest) -> Result<AccessScope, Refusal> {
        if let token = Self.token(in: request.headers) {
            return tokens.scope(of: token).map { .success($0) } ?? .failure(.tokenWrong)
        }
        switch (anonymous, request.peer) {
        case (.everyone, _): return .success(.admin)
        // Behind a proxy on this machine anybody may be.
        case (.loopback, .loopback) where !request.headers.nameAProxy: return .success(.admin)
        default: return .failure(.tokenMissing)
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
