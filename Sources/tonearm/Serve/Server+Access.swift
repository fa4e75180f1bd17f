// SPDX-License-Identifier: Apache-2.0

import Store
import RemoteAPI

/// Access: tokens, names and origins.
extension Server {
    /// Made at the first start, also where this machine needs none: requests through a proxy do.
    static func tokens(_ configuration: ServerConfiguration) throws -> AccessTokens {
        if configuration.isAnonymous, configuration.tokenFile == nil { return AccessTokens(tokens: []) }
        if configuration.tokenFile == nil { try Failure.unlessData { try DataDirectory.make(configuration.data) } }
        return try AccessTokens.load(
            configuration.tokenPath, setting: configuration.tokenFile == nil ? "--data" : "token-file")
    }

    static func access(_ configuration: ServerConfiguration, _ tokens: AccessTokens) -> AccessPolicy {
        AccessPolicy(
            tokens: tokens.tokens, anonymous: configuration.anonymous, machineName: LocalNetwork.machineName(),
            allowedHosts: configuration.allowedHosts, allowedOrigins: configuration.allowedOrigins)
    }

    /// Whether the link carries the token: where one is needed, and it is shown to somebody rather than kept in a log.
    static func linkToken(_ configuration: ServerConfiguration, _ tokens: AccessTokens) -> String? {
        guard !(configuration.isLoopback && configuration.anonymous == .loopback) else { return nil }
        return Console.isTerminal || tokens.isNew && !Console.isJournal ? tokens.highest : nil
    }
}
