// SPDX-License-Identifier: Apache-2.0

import Announcing
import Catalogue
import HTTP
import Playback
import Recording
import Session
import Synchronization

/// What the handlers share.
struct Services: Sendable {
    /// Whose routes they are.
    var path: PlayerPath
    var player: any PlayerControl
    let clock: any PlayerClock
    let media: any MediaCatalogue
    /// nil when it is switched off.
    let library: (any MusicLibrary)?
    let playlists: (any PlaylistKeeper)?
    /// nil when nothing is kept.
    let cache: (any CacheKeeper)?
    /// nil in a server without an audio session.
    let session: (any SessionControl)?
    /// Identifies this player, of this run of the server, in entity tags and event ids.
    var epoch: String
    /// Opens media and lists folders.
    let mediaWorker: SupervisedWorker
    /// Reads playlists from other servers.
    let listWorker: SupervisedWorker
    /// Fetches pictures from other servers.
    let coverWorker: SupervisedWorker
    /// Of the items that windows of queues show.
    let details: QueueDetails
    /// Reads the library, reads and changes playlists and the cache: short work in files, one after another.
    let libraryWorker: BackgroundWorker
    /// nil when nothing makes them.
    let renditions: (any MediaRenditions)?
    /// Makes pictures.
    let renditionWorker: SupervisedWorker
    /// Measures waveforms, which takes longer.
    let waveformWorker: SupervisedWorker
    var snapshots: SnapshotCache
    var followers: Followers
    /// What is heard beside this player's music; nil: nothing is.
    var announcer: Announcer?
    /// nil: there is one player only.
    let roster: (any PlayerRoster)?
    /// All players.
    let players: PlayerTable
    /// nil when nothing is recorded.
    let streams: StreamRecorder?

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

    /// Calls with what the catalogue knows of these items: at once where it is at hand, else from the library's thread. Items are
    /// shown without it where that has too much to do.
    func withDetails(of items: [QueueItem], _ use: @escaping @Sendable ([String: TrackDetails]) -> Void) {
        if let found = details.complete(items) { return use(found) }
        let isTaken = libraryWorker.submit { use(details.read(items)) }
        if !isTaken { use(details.atHand(items)) }
    }

    /// The whole state as JSON.
    func encode(_ snapshot: PlayerSnapshot) -> [UInt8] {
        JSONWriter.document(of: snapshot, path, followers: followers.ids, at: Moment(clock))
    }

    /// Runs `job` where it may take its time, and `use` with what it gives. When the file system does not answer in
    /// time, the client is told and what comes later is dropped. When the client has gone, the job does not begin, or is
    /// cancelled.
    func openMedia<Value: Sendable>(
        for client: APIClient, on worker: SupervisedWorker? = nil, shares: [JobShare] = [], reply: @escaping Reply,
        _ job: @escaping @Sendable (MediaCancellation) throws(Problem) -> Value,
        use: @escaping @Sendable (Value) throws(Problem) -> Void
    ) throws(Problem) {
        try openMedia(for: client, on: worker, shares: shares, refuse: { reply($0.response) }, job, use: use)
    }

    /// As above, without an HTTP response.
    func openMedia<Value: Sendable>(
        for client: APIClient, on worker: SupervisedWorker? = nil, shares: [JobShare] = [],
        refuse: @escaping @Sendable (Problem) -> Void,
        _ job: @escaping @Sendable (MediaCancellation) throws(Problem) -> Value,
        use: @escaping @Sendable (Value) throws(Problem) -> Void
    ) throws(Problem) {
        let isAnswered = Once()
        let cancellation = MediaCancellation()
        let isTaken = (worker ?? mediaWorker).submit(
            SupervisedWorker.Job(
                shares: shares + client.shares, isUnwanted: { client.isGone },
                run: {
                    do throws(Problem) {
                        let value: Value
                        do throws(Problem) {
                            value = try job(cancellation)
                        } catch {
                            if isAnswered.claim() { refuse(error) }
                            return
                        }
                        if isAnswered.claim() { try use(value) }
                    } catch {
                        refuse(error)
                    }
                },
                giveUp: { reason in
                    if isAnswered.claim() { refuse(Problem(reason)) }
                    cancellation.cancel()
                }))
        if !isTaken { throw .busy("Too much media is being opened already.") }
    }

    /// The first to claim it answers.
    private final class Once: Sendable {
        private let isClaimed = Atomic(false)

        func claim() -> Bool { !isClaimed.exchange(true, ordering: .acquiringAndReleasing) }
    }
}

extension Problem {
    fileprivate init(_ reason: SupervisedWorker.Reason) {
        switch reason {
        case .overdue:
            self.init(
                status: 503, code: "media-timeout", title: "Media does not answer",
                detail: "The file system has not answered in time.", headers: [("Retry-After", "30")])
        case .unwanted: self = .clientGone
        case .stopped:
            self.init(
                status: 503, code: "stopping", title: "Service Unavailable", detail: "The server is stopping.")
        }
    }

    /// For whoever still reads; most have closed the connection.
    static let clientGone = Problem(
        status: 503, code: "client-gone", title: "Client gone",
        detail: "The connection was closed before it was this request's turn.")
}
