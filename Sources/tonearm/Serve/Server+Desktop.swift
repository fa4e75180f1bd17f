// SPDX-License-Identifier: Apache-2.0

import Desktop
import Logging
import Playback
import Service

/// Where the server shows on the machine's buses; nil where there is no bus, or it is not wanted. Not even a descriptor is
/// taken then.
extension Server {
    static func mpris(
        _ configuration: ServerConfiguration, _ player: PlayerService, _ catalogue: LocalMusicCatalogue, _ log: Logger
    ) -> MPRISService? {
        guard configuration.hasMPRIS, MPRISService.isPossible else { return nil }
        let pictures = MPRISPictures { address, cancellation throws(MediaError) in
            try catalogue.pictures.picture(at: address, cancellation: cancellation)
        } folder: { locator throws(MediaError) in
            try catalogue.folderPicture(locator)
        }
        return MPRISService(player: player, directory: configuration.data + "/artwork", log: log, pictures: pictures)
    }

    static func logind(_ configuration: ServerConfiguration, _ session: LiveSession, _ log: Logger) -> LogindService? {
        guard configuration.followsLogind, LogindService.isPossible else { return nil }
        return LogindService(session, log: log)
    }

    /// Also nil where nobody else could reach the server.
    static func zeroconf(
        _ configuration: ServerConfiguration, id: String, name: String, port: UInt16, _ log: Logger
    ) -> ZeroconfService? {
        guard configuration.isAnnounced, !configuration.isLoopback, ZeroconfService.isPossible else { return nil }
        let service = AnnouncedService(
            name: name, type: "_tonearm._tcp", port: port,
            properties: ["id=\(id)", "name=\(name)", "version=\(ServerVersion.text)"])
        return ZeroconfService(service, log: log)
    }
}
