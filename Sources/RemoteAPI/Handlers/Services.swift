// SPDX-License-Identifier: Apache-2.0

import Catalogue
import HTTP
import Playback

/// What the handlers share.
struct Services: Sendable {
    let player: any PlayerControl
    let clock: any PlayerClock
    let media: any MediaCatalogue
    /// nil when it is switched off.
    let library: (any MusicLibrary)?
    let playlists: (any PlaylistKeeper)?
    /// Identifies this run of the server in entity tags and event ids.
    let epoch: String
    /// Opens media and lists folders.
    let mediaWorker: BackgroundWorker
    /// Reads the library and playlists.
    let libraryWorker: BackgroundWorker
    let snapshots: SnapshotCache

    /// Performs a command and answers with what `answer` makes of the state after it.
    func perform(
        _ command: PlayerCommand, reply: @escaping Reply, answer: @escaping @Sendable (PlayerSnapshot) -> HTTPResponse
    ) {
        player.perform(command) { result in
            switch result {
            case .success(let snapshot): reply(answer(snapshot))
            case .failure(let error): reply(Problem(error).response)
            }
        }
    }

    /// The whole state as JSON.
    func encode(_ snapshot: PlayerSnapshot) -> [UInt8] {
        let moment = Moment(clock)
        return JSONWriter.object(capacity: 2048) { $0.members(of: snapshot, at: moment) }
    }

    func openMedia(reply: @escaping Reply, _ job: @escaping @Sendable () throws(Problem) -> Void) throws(Problem) {
        let isTaken = mediaWorker.submit {
            do throws(Problem) {
                try job()
            } catch {
                reply(error.response)
            }
        }
        if !isTaken { throw .busy("Too much media is being opened already.") }
    }
}
