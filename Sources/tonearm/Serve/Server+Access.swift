// SPDX-License-Identifier: Apache-2.0

import Library
import RemoteAPI

/// Who may do what.
extension Server {
    static func tokens(_ configuration: ServerConfiguration) throws -> [AccessToken] {
        if let path = configuration.tokenFile { return try AccessTokens.load(path) }
        guard !configuration.isLoopback, !configuration.isAnonymous else { return [] }
        do throws(StateStoreError) {
            try DataDirectory.make(configuration.data)
        } catch {
            throw Failure("data: \(error); name another directory with --data DIR.", .cannotCreate)
        }
        return try AccessTokens.load(configuration.data + "/tokens")
    }

    static func access(_ configuration: ServerConfiguration, _ tokens: [AccessToken]) -> AccessPolicy {
        let anonymous: AccessPolicy.Anonymous =
            if configuration.isAnonymous {
                .everyone
            } else if configuration.tokenFile != nil {
                .nobody
            } else {
                .loopback
            }
        return AccessPolicy(
            tokens: tokens, anonymous: anonymous, machineName: LocalNetwork.machineName(),
            allowedHosts: configuration.allowedHosts, allowedOrigins: configuration.allowedOrigins)
    }
}
