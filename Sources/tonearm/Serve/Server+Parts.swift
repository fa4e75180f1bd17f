// SPDX-License-Identifier: Apache-2.0

import Desktop
import LoadedLibraries
import Logging
import Media
import RemoteAPI
import Service
import Store

extension Server {
    /// nil without music folders, or if the library is off.
    static func library(
        _ configuration: ServerConfiguration, _ roots: MusicRoots, _ examiner: MediaExaminer, _ log: Logger
    ) throws -> LocalMusicLibrary? {
        guard configuration.hasLibrary, !configuration.music.isEmpty else { return nil }
        return try Failure.unlessData {
            try LocalMusicLibrary(
                directory: configuration.data, roots: roots, examiner: examiner,
                measuring: configuration.measuresLoudness ? EBUR128Measuring() : nil, logger: log)
        }
    }
}

/// Access: tokens, names and origins.
extension Server {
    /// Created at the first start even if loopback needs no token: requests through a proxy need one.
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

    /// The token of the printed link; nil if none is needed, or if a log would keep it.
    static func linkToken(_ configuration: ServerConfiguration, _ tokens: AccessTokens) -> String? {
        guard !(configuration.isLoopback && configuration.anonymous == .loopback) else { return nil }
        return Console.isTerminal || tokens.isUnshown && !Console.isJournal ? tokens.highest : nil
    }
}

/// The server's presence on the machine's buses. nil without a bus, or if switched off; then it takes not even a descriptor.
extension Server {
    static func mpris(_ configuration: ServerConfiguration, _ player: PlayerService, _ log: Logger) -> MPRISService? {
        guard configuration.hasMPRIS, MPRISService.isPossible else { return nil }
        return MPRISService(player: player, directory: configuration.data + "/artwork", log: log)
    }

    static func logind(_ configuration: ServerConfiguration, _ session: LiveSession, _ log: Logger) -> LogindService? {
        guard configuration.followsLogind, LogindService.isPossible else { return nil }
        return LogindService(session, log: log)
    }

    /// Also nil if only this machine can reach the server.
    static func zeroconf(
        _ configuration: ServerConfiguration, id: String, name: String, port: UInt16, _ log: Logger
    ) -> ZeroconfService? {
        guard configuration.isAnnounced, !configuration.isLoopback, ZeroconfService.isPossible else { return nil }
        return ZeroconfService(
            name: name, type: "_tonearm._tcp", port: port,
            properties: ["id=\(id)", "name=\(name)", "version=\(ServerVersion.text)"], log: log)
    }
}
