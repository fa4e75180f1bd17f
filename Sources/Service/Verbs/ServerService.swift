// SPDX-License-Identifier: Apache-2.0

public import Kernel
import Playback
import Synchronization

/// The verbs of the server, for every remote interface: typed values in, a value or a `Problem` out. Any thread; no
/// verb blocks.
public final class ServerService: Sendable {
    /// The parts of the server that the verbs use; nil for those that this server lacks.
    public struct Parts: Sendable {
        public var media: any MediaAccess
        public var library: (any MusicLibrary)?
        public var playlists: (any PlaylistKeeper)?
        public var cache: (any CacheKeeper)?
        public var session: LiveSession?
        public var recorder: Recorder?
        public var streams: StreamRecorder?
        public var timers: Timers?
        /// nil without a directory for their files.
        public var renders: Renders?
        public var renditions: (any MediaRenditions)?
        /// nil if there is only one player.
        public var roster: (any PlayerRoster)?
        public var sealed = SealedAddresses()

        public init(media: any MediaAccess) { self.media = media }
    }

    public let parts: Parts
    /// Details of the items in queue windows.
    public let details: QueueDetails
    /// Opens media and lists folders.
    let mediaWorker = SupervisedWorker("api-media", width: 4)
    /// Reads playlists from other servers.
    let listWorker = SupervisedWorker("api-lists", subject: "A server of this address", width: 8)
    /// Fetches pictures from other servers.
    let coverWorker = SupervisedWorker("api-covers", subject: "The picture's server", width: 4)
    /// Makes pictures.
    let renditionWorker = SupervisedWorker("api-pictures", subject: "The decoder", width: 2)
    /// Measures waveforms, which takes longer.
    let waveformWorker = SupervisedWorker("api-waveforms", subject: "The decoder", width: 4)
    /// Reads the library, and reads and changes playlists and the cache: short work on files, one job at a time.
    let libraryWorker = SupervisedWorker("api-library", seconds: nil)
    /// Adds and removes players. The end of a player may free up to 128 MB.
    let rosterWorker = SupervisedWorker("api-players", seconds: nil, afterEach: { Heap.giveBack() })

    public init(_ parts: Parts) {
        self.parts = parts
        details = QueueDetails(parts.library)
    }

    /// Drops the waiting jobs and waits for the running ones.
    /// - Returns: the deadline of these waits, which further ones need not exceed.
    public func shutdown() -> MonotonicTime {
        let workers = [
            libraryWorker, rosterWorker, mediaWorker, listWorker, coverWorker, renditionWorker, waveformWorker,
        ]
        for worker in workers { worker.beginStop() }
        let deadline = MonotonicTime.now.advanced(bySeconds: 0.5)
        for worker in workers { worker.stop(until: deadline) }
        return deadline
    }

    /// Returns the memory of a long queue to the system, off the player's thread.
    func queueChanged(from before: Int, to after: Int) {
        guard before - after >= Self.longQueue else { return }
        // If it is refused, this thread has enough other jobs, and the end of each does the same.
        _ = rosterWorker.submit {}
    }

    private static let longQueue = 1_000

    // MARK: Threads

    /// Runs `job` on a worker. If it does not end in time, the caller gets a problem, and a late result is dropped. If
    /// the caller has disconnected, the job does not start, or is cancelled.
    func open<Value: Sendable>(
        for caller: Caller, on worker: SupervisedWorker? = nil, shares: [JobShare] = [],
        reply: @escaping ServiceReply<Value>,
        _ job: @escaping @Sendable (MediaCancellation) throws(Problem) -> Value
    ) {
        let isAnswered = Once()
        let cancellation = MediaCancellation()
        let worker = worker ?? mediaWorker
        let isTaken = worker.submit(
            SupervisedWorker.Job(
                shares: shares + caller.shares, isUnwanted: { caller.isGone },
                run: {
                    let result = Result { () throws(Problem) in try job(cancellation) }
                    if isAnswered.claim() { reply(result) }
                },
                giveUp: { reason in
                    if isAnswered.claim() { reply(.failure(Problem(reason, worker.subject))) }
                    cancellation.cancel()
                }))
        if !isTaken { reply(.failure(.busy("Too much media is being opened already."))) }
    }

    /// Runs work on the library, the playlists and the cache, off the interfaces' threads.
    public func onLibrary<Value>(
        reply: @escaping ServiceReply<Value>, _ job: @escaping @Sendable () throws(Problem) -> Value
    ) {
        let isTaken = libraryWorker.submit { reply(Result { () throws(Problem) in try job() }) }
        if !isTaken {
            reply(.failure(.busy("Too many requests to the library, the playlists and the cache are under way.")))
        }
    }

    /// Limits the threads that wait for one slow server.
    func shares(ofServersOf addresses: some Sequence<String>) -> [JobShare] {
        // A request with more servers than threads counts only for the first ones.
        Set(addresses.map { parts.media.server(of: $0) }).prefix(16).map { server in
            JobShare(name: "server \(server)", running: 1, waiting: 16)
        }
    }

    /// Only the first claim sends the answer.
    private final class Once: Sendable {
        private let isClaimed = Atomic(false)

        func claim() -> Bool { !isClaimed.exchange(true, ordering: .acquiringAndReleasing) }
    }
}

extension Problem {
    fileprivate init(_ reason: SupervisedWorker.Reason, _ subject: String) {
        switch reason {
        case .overdue:
            self.init(.unavailable, "media-timeout", "\(subject) has not answered in time.", retryAfter: 30)
        case .unwanted: self = .clientGone
        case .stopped: self.init(.unavailable, "stopping", "The server is stopping.")
        }
    }
}

/// The audio session.
extension ServerService {
    public func sessionStatus() throws(Problem) -> SessionStatus { try requireSession().status }

    /// The reply comes when the whole change is saved and in force.
    public func changeSession(_ request: SessionRequest, reply: @escaping ServiceReply<SessionStatus>) {
        attempt(reply) { () throws(Problem) in try requireSession().change(request, reply: reply) }
    }

    private func requireSession() throws(Problem) -> LiveSession { try parts.session.orThrow(.noSession) }
}

/// Adding and removing players.
extension ServerService {
    /// Adds a player; replies with its id.
    public func addPlayer(_ draft: PlayerDraft, reply: @escaping ServiceReply<String>) {
        onRoster(reply) { roster throws(Problem) in try roster.add(draft) }
    }

    public func removePlayer(_ id: String, reply: @escaping ServiceReply<Void>) {
        guard id != HostedPlayer.main else { return reply(.failure(.mainStays)) }
        onRoster(reply) { roster throws(Problem) in try roster.remove(id) }
    }

    private func onRoster<Value>(
        _ reply: @escaping ServiceReply<Value>,
        _ job: @escaping @Sendable (any PlayerRoster) throws(Problem) -> Value
    ) {
        guard let roster = parts.roster else { return reply(.failure(.onePlayer)) }
        let isTaken = rosterWorker.submit { reply(Result { () throws(Problem) in try job(roster) }) }
        if !isTaken { reply(.failure(.busy("Too many players are being added and removed."))) }
    }
}

extension PlayerService {
    /// Checks that the player may follow this leader.
    func check(leader: String) throws(Problem) {
        guard let roster = server.parts.roster else { throw .onePlayer }
        guard leader != id else { throw .invalid("leader", "A player cannot follow itself.") }
        guard roster.hasPlayer(leader) else { throw .unknownPlayer(leader, member: "leader") }
    }
}

extension Problem {
    fileprivate static let onePlayer = busy("This server has one player only.")
}
