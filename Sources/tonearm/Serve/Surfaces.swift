// SPDX-License-Identifier: Apache-2.0

import Logging
import MPRIS
import Playback
import RemoteAPI

/// Where the player shows beside the API.
struct Surfaces: Sendable {
    private let mpris: MPRISService?

    init(
        _ configuration: ServerConfiguration, _ player: Player, _ api: RemoteAPI, _ catalogue: LocalMusicCatalogue,
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
        let desktop = DesktopPlayer(player: player, api: api)
        mpris = MPRISService(player: desktop, directory: configuration.data + "/artwork", log: log, pictures: pictures)
    }

    /// After the player's events come to `observe`.
    func start() { mpris?.start() }

    func observe(_ event: PlayerEvent) { mpris?.observe(event) }

    func stop() { mpris?.stop() }
}

/// The player, with the API's way of adding.
private struct DesktopPlayer: PlayerAccess {
    let player: Player
    let api: RemoteAPI

    var snapshot: PlayerSnapshot { player.snapshot }

    func perform(
        _ command: PlayerCommand, reply: @escaping @Sendable (Result<PlayerSnapshot, PlaybackError>) -> Void
    ) {
        player.perform(command, reply: reply)
    }

    func add(
        _ addition: MPRISAddition, reply: @escaping @Sendable (Result<PlayerSnapshot, PlaybackError>) -> Void
    ) {
        api.add(addition.uri, at: addition.place, expected: addition.expected, play: addition.play, reply: reply)
    }

    func queueWindow(offset: Int, limit: Int) -> QueueWindow { player.queueWindow(offset: offset, limit: limit) }
    func queueItem(_ id: ItemID) -> (item: QueueItem, index: Int, revision: QueueRevision)? { player.queueItem(id) }
}
