// SPDX-License-Identifier: Apache-2.0

import Logging
import Desktop
import Playback
import Service

/// Where the player shows beside the API.
struct Surfaces: Sendable {
    private let mpris: MPRISService?

    init(
        _ configuration: ServerConfiguration, _ player: PlayerService, _ catalogue: LocalMusicCatalogue,
        _ log: Logger
    ) {
        // Where there is no bus, not even a descriptor is taken.
        guard configuration.hasMPRIS, MPRISService.isPossible else {
            mpris = nil
            return
        }
        let pictures = MPRISPictures { address, cancellation throws(MediaError) in
            try catalogue.pictures.picture(at: address, cancellation: cancellation)
        } folder: { locator throws(MediaError) in
            try catalogue.folderPicture(locator)
        }
        mpris = MPRISService(player: player, directory: configuration.data + "/artwork", log: log, pictures: pictures)
    }

    /// After the player's events come to `observe`.
    func start() { mpris?.start() }

    func observe(_ event: PlayerEvent) { mpris?.observe(event) }

    func stop() { mpris?.stop() }
}
