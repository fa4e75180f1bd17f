// SPDX-License-Identifier: Apache-2.0

public import Kernel
import Playback
import Synchronization

/// The verbs that concern the server, for every door: typed values in, a value or a `Problem` out. A handle for any thread;
/// no verb blocks.
public final class ServerService: Sendable {
    /// The parts of the server that the verbs use.
    public struct Parts: Sendable {
        public var media: any MediaCatalogue
        /// nil when it is switched off.
        public var library: (any MusicLibrary)?
        public var playlists: (any PlaylistKeeper)?
        /// nil when nothing is kept.
        public var cache: (any CacheKeeper)?
        /// nil in a server without an audio session.
        public var session: LiveSession?
        /// nil when nothing is recorded.
        public var recorder: Recorder?
        /// nil when no stream is saved.
        public var streams: StreamRecorder?
        /// nil in a server without them.
        public var timers: Timers?
        /// nil where there is no directory for their files.
        public var renders: Renders?
        /// nil when nothing makes them.
        public var renditions: (any MediaRenditions)?
        /// nil: there is one player only.
        public var roster: (any PlayerRoster)?
        public var sealed = SealedAddresses()

        public init(media: any MediaCatalogue) { self.media = media }
    }

    public let parts: Parts
    /// Of the items that windows of queues show.
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
    /// Reads the library, reads and changes playlists and the cache: short work in files, one after another.
    let libraryWorker = SupervisedWorker("api-library", seconds: nil)
    /// Makes and ends players. A player takes up to 128 MB with it.
    let rosterWorker = SupervisedWorker("api-players", seconds: nil, afterEach: { Heap.giveBack() })

    public init(_ parts: Parts) {
        self.parts = parts
        details = QueueDetails(parts.library)
    }

    /// Drops the jobs that wait; those that run are waited for.
    /// - Returns: when the last of these waits ends; nothing else needs to be waited for longer.
    public func shutdown() -> MonotonicTime {
        let workers = [
            libraryWorker, rosterWorker, mediaWorker, listWorker, coverWorker, renditionWorker, waveformWorker,
        ]
        for worker in workers { worker.beginStop() }
        let deadline = MonotonicTime.now.advanced(bySeconds: 0.5)
        for worker in workers { worker.stop(until: deadline) }
        return deadline
    }

    /// Gives the memory of a long queue back to the system, beside the player's thread.
    func queueChanged(from before: Int, to after: Int) {
        guard before - after >= Self.longQueue else { return }
        // When it is refused, enough other work of this thread follows, and each ends like this one.
        _ = rosterWorker.submit {}
    }

    private static let longQueue = 1_000

    // MARK: Threads

    /// Runs `job` where it may take its time. When the file system does not answer in time, the caller gets a problem and what
    /// comes later is dropped. When the caller has gone, the job does not begin, or is cancelled.
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

    /// Runs work on the library, the playlists and the cache, away from the doors' threads.
    public func onLibrary<Value>(
        reply: @escaping ServiceReply<Value>, _ job: @escaping @Sendable () throws(Problem) -> Value
    ) {
        let isTaken = libraryWorker.submit { reply(Result { () throws(Problem) in try job() }) }
        if !isTaken {
            reply(.failure(.busy("Too many requests to the library, the playlists and the cache are under way.")))
        }
    }

    /// No server, however slow, takes more than a part of the threads that ask servers.
    func shares(ofServersOf addresses: some Sequence<String>) -> [JobShare] {
        // One request with more servers than threads counts for the first of them.
        Set(addresses.map { parts.media.server(of: $0) }).prefix(16).map { server in
            JobShare(name: "server \(server)", running: 1, waiting: 16)
        }
    }

    /// The first to claim it answers.
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

    /// The reply comes when all of it is saved and in force.
    public func changeSession(_ request: SessionRequest, reply: @escaping ServiceReply<SessionStatus>) {
        attempt(reply) { () throws(Problem) in
            try requireSession().change(request, reply: reply)
        }
    }

    private func requireSession() throws(Problem) -> LiveSession {
        guard let session = parts.session else {
            throw .notFound("This server has no audio session.", code: "no-session")
        }
        return session
    }
}

/// Players come and go.
extension ServerService {
    /// Makes a player; replies with its id.
    public func addPlayer(_ draft: PlayerDraft, reply: @escaping ServiceReply<String>) {
        onRoster(reply) { roster throws(Problem) in try roster.add(draft) }
    }

    /// Ends a player for good.
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
    /// Whether the player may follow that one.
    func check(leader: String) throws(Problem) {
        guard let roster = server.parts.roster else { throw .onePlayer }
        guard leader != id else { throw .invalid("leader", "A player cannot follow itself.") }
        guard roster.hasPlayer(leader) else {
            throw .invalid("leader", "There is no player \(leader.prefix(40)).", code: "unknown-player")
        }
    }
}

extension Problem {
    fileprivate static let onePlayer = busy("This server has one player only.")
}
