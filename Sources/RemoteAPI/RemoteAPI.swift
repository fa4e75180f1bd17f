// SPDX-License-Identifier: Apache-2.0

public import Announcing
public import Catalogue
public import HTTP
public import Logging
public import Playback
public import Recording
public import Session
import Synchronization
import Threading

/// The whole remote interface of a player: REST, events, health and metrics, in terms of HTTP values.
///
/// Hand `respond` to an HTTP server and `webSockets` to a WebSocket server, and give `observe` to the player.
public final class RemoteAPI: HTTPResponder {
    public struct Configuration: Sendable {
        public var player: any PlayerControl
        public var clock: any PlayerClock
        public var media: any MediaCatalogue
        /// nil: the routes of it answer 404 `no-library`.
        public var library: (any MusicLibrary)?
        public var playlists: (any PlaylistKeeper)?
        /// nil: its routes answer 403 `recording-disabled`.
        public var recorder: Recorder?
        /// nil: streams are not saved; its routes answer 403 `recording-disabled`.
        public var streams: StreamRecorder?
        /// Main's; nil: nothing is announced, and its routes answer 404 `no-announcer`.
        public var announcer: Announcer?
        /// nil: pictures come in their own size only, and there are neither thumbnails nor waveforms.
        public var renditions: (any MediaRenditions)?
        /// nil: what comes over the network is not kept.
        public var cache: (any CacheKeeper)?
        /// nil: the routes of it answer 404 `no-session`.
        public var session: (any SessionControl)?
        /// nil: there is one player only.
        public var roster: (any PlayerRoster)?
        public var access = AccessPolicy()
        /// Gets wrong tokens.
        public var log: Logger?
        /// Answers every path that is not the API's: the page.
        public var site: any HTTPResponder
        /// Differs in every run of the server: letters, digits and hyphens.
        public var epoch: String
        public var serverVersion: String
        /// The same for all runs with one data directory; opaque.
        public var serverID = ""
        /// What people call this server.
        public var serverName = ""
        /// The contracts, as served.
        public var openAPI: [UInt8] = []
        public var asyncAPI: [UInt8] = []
        /// False while the server starts or goes down.
        public var isReady: @Sendable () -> Bool = { true }

        public init(
            player: any PlayerControl, clock: any PlayerClock, media: any MediaCatalogue, site: any HTTPResponder,
            epoch: String, serverVersion: String
        ) {
            self.player = player
            self.clock = clock
            self.media = media
            self.site = site
            self.epoch = epoch
            self.serverVersion = serverVersion
        }
    }

    /// Every route: method, and pattern as in openapi.yaml.
    public let routes: [(method: String, pattern: String)]
    /// Those of them that every player has below `/players/{player}`.
    public let playerRoutes: [(method: String, pattern: String)]

    /// Lists, or pictures, that one server is asked for at the same time.
    static let jobsOfOneServer = 1

    let gate: Gate
    let players = PlayerTable()
    let main: PlayerAPI
    let playersRoutes: PlayersRoutes
    private let site: any HTTPResponder
    private let idempotency: IdempotentRequests
    private let dispatcher: Dispatcher
    private let mediaWorker: SupervisedWorker
    private let listWorker: SupervisedWorker
    private let coverWorker: SupervisedWorker
    private let libraryWorker: BackgroundWorker
    private let renditionWorker: SupervisedWorker
    private let waveformWorker: SupervisedWorker
    private let rosterWorker: BackgroundWorker
    private let health: HealthCheck
    let requests = RequestCounters()
    /// As `hello` names it.
    let server: String
    /// Players that were admitted so far.
    let admitted = Atomic<UInt64>(0)
    private let channel: EventChannel
    private let recorder: Recorder?

    public init(_ configuration: Configuration) {
        let clock = configuration.clock
        let player = configuration.player
        gate = Gate(policy: configuration.access, clock: clock, log: configuration.log)
        site = configuration.site
        idempotency = IdempotentRequests(clock: clock)
        dispatcher = Dispatcher()
        mediaWorker = SupervisedWorker("api-media", width: 2)
        listWorker = SupervisedWorker("api-lists", width: 8)
        coverWorker = SupervisedWorker("api-covers", width: 4)
        libraryWorker = BackgroundWorker("api-library")
        renditionWorker = SupervisedWorker("api-pictures", width: 2)
        waveformWorker = SupervisedWorker("api-waveforms", width: 4)
        rosterWorker = BackgroundWorker("api-players")
        let players = players
        health = HealthCheck(clock: clock) { players.all.map { ($0.path.id, $0.services.player) } }
        let followers = Followers()
        let services = Services(
            path: .main, player: player, clock: clock, media: configuration.media, library: configuration.library,
            playlists: configuration.playlists, cache: configuration.cache, session: configuration.session,
            epoch: configuration.epoch, mediaWorker: mediaWorker, listWorker: listWorker, coverWorker: coverWorker,
            details: QueueDetails(configuration.library), libraryWorker: libraryWorker,
            renditions: configuration.renditions, renditionWorker: renditionWorker, waveformWorker: waveformWorker,
            snapshots: SnapshotCache(.main, player: player, followers: followers, clock: clock), followers: followers,
            announcer: configuration.announcer,
            roster: configuration.roster,
            players: players, streams: configuration.streams)
        recorder = configuration.recorder
        server = "tonearm/" + configuration.serverVersion
        let hub = EventHub(services, server: server)
        playersRoutes = PlayersRoutes(
            players: { players.all }, roster: configuration.roster, worker: rosterWorker)
        let system = SystemRoutes(
            players: players, main: player, clock: clock, requests: requests, health: health,
            serverVersion: configuration.serverVersion, openAPI: configuration.openAPI,
            asyncAPI: configuration.asyncAPI, isReady: configuration.isReady)
        let others =
            MediaRoutes(services: services).routes + RenditionRoutes(services: services).routes
            + LibraryRoutes(services: services).routes + LibraryMediaRoutes(services: services).routes
            + PlaylistRoutes(services: services).routes + CacheRoutes(services: services).routes
            + RecordingRoutes(services: services, recorder: configuration.recorder).routes
            + playersRoutes.routes + system.routes + [ServerRoute(configuration).route]
        let own = PlayerAPI.routes(services, hub) + [playersRoutes.removal(of: .main)]
        let session = SessionRoutes(services: services).routes
        playerRoutes = own.map { ($0.method.rawValue, $0.pattern) }
        routes = (own + session + others).map { ($0.method.rawValue, $0.pattern) }
        main = PlayerAPI(services, hub: hub, own + session + others)
        players.add(main)
        channel = EventChannel(gate: gate, players: players)
        configuration.announcer?.observe { hub.receive($0) }
    }

    /// Lets clients into the event channels.
    public var webSockets: any WebSocketApplication { channel }

    /// For the library's observer.
    public func observe(_ library: LibraryStatus) { for player in players.all { player.hub.receive(library) } }

    /// For the recorder's observer.
    public func observe(_ event: Recorder.Event) {
        for player in players.all {
            player.hub.receive(event) { main.services.streams?.status(of: player.path.id) ?? .disabled }
        }
    }

    /// For the stream recorder's observer.
    public func observe(_ status: StreamRecordingStatus, of player: String) {
        players[player]?.hub.tell { (recorder?.status ?? .disabled, status) }
    }

    /// For the cache's observer.
    public func observe(_ cache: CacheStatus) { for player in players.all { player.hub.receive(cache) } }

    /// For the session's observer.
    public func observe(_ session: SessionStatus) { for player in players.all { player.hub.receive(session) } }

    /// Ends the event channels and the background threads; blocks until the jobs under way are done.
    public func shutdown() {
        for player in players.all { player.hub.stop() }
        let disks = [dispatcher.worker, libraryWorker, rosterWorker]
        for worker in disks { worker.beginStop() }
        mediaWorker.stop()
        listWorker.stop()
        coverWorker.stop()
        renditionWorker.stop()
        waveformWorker.stop()
        // All of them hang where one does.
        let deadline = MonotonicTime.now.advanced(bySeconds: 0.5)
        for worker in disks { worker.stop(until: deadline) }
        health.stop()
    }

    public func respond(to request: HTTPRequest, reply: @escaping @Sendable (HTTPResponse) -> Void) {
        let (player, path) = players.find(request.path) ?? (nil, "/api/")
        let match = player?.router.match(request.method, path) ?? .none
        if case .none = match, !path.hasPrefix("/api/") { return passToSite(request, reply) }
        let label: String
        if case .route(let route, _) = match { label = route.pattern } else { label = "other" }
        let finish = Finish(requests, request.method, route: label, reply: reply)
        do throws(Problem) {
            switch match {
            case .route(let route, let parameters):
                try run(route, parameters, request, target: "\(player?.services.epoch ?? "") \(path)", finish)
            case .methods(let allow):
                _ = try gate.admit(request, AccessPolicy.Need(scope: nil, refusesForeignOrigin: false))
                guard request.method == .options else {
                    throw .methodNotAllowed(request.method.rawValue, allow: allow)
                }
                finish(
                    gate.preflight(request, allow: allow)
                        ?? HTTPResponse(status: 204, headers: HTTPHeaders([("Allow", allow)])))
            case .none where player == nil:
                // Which players there are is for those who may read.
                _ = try gate.admit(request, AccessPolicy.Need(scope: .read, refusesForeignOrigin: false))
                throw .unknownPlayer(PlayerPath.split(request.path).player ?? "")
            case .none:
                _ = try gate.admit(request, AccessPolicy.Need(scope: nil, refusesForeignOrigin: false))
                throw .notFound("There is nothing at \(request.path.prefix(100)); /openapi.yaml lists what there is.")
            }
        } catch {
            finish(error.response)
        }
    }

    private func run(
        _ route: Route, _ parameters: [String], _ request: HTTPRequest, target: @autoclosure () -> String,
        _ finish: Finish
    ) throws(Problem) {
        let grant = try gate.admit(request, route.need)
        var finish = finish
        finish.origin = grant.origin
        // What stands beside the API (health, contracts) is asked by others, who may add what they like.
        if !route.takesQuery, let pair = request.query.first, route.pattern.hasPrefix("/api/") {
            let name = String(pair.name.prefix(60))
            throw .invalid(name, "The query parameter \(name) is not known here: there are none.")
        }
        let answer: Reply = { [finish] in finish($0) }
        var request = request
        // It is done to its end: who lost the connection asks again for what came of it.
        if request.headers.contains("Idempotency-Key") { request.recipient = nil }
        let call = APICall(request: request, parameters: parameters, scope: grant.scope)
        if route.isSafe {
            do throws(Problem) {
                try route.handler(call, answer)
            } catch {
                answer(error.response)
            }
            return
        }
        do throws(Problem) {
            try JSONBody.checkType(of: request)
            try idempotency.perform(request, target: target(), reply: answer) { reply throws(Problem) in
                dispatcher.run(request) {
                    do throws(Problem) {
                        try route.handler(call, reply)
                    } catch {
                        reply(error.response)
                    }
                } orElse: {
                    reply($0.response)
                }
            }
        } catch {
            answer(error.response)
        }
    }

    /// The page needs no token, but answers under the allowed names only.
    private func passToSite(_ request: HTTPRequest, _ reply: @escaping Reply) {
        let finish = Finish(requests, request.method, route: "page", reply: reply)
        do throws(Problem) {
            let isSafe = request.method == .get || request.method == .head
            _ = try gate.admit(request, AccessPolicy.Need(scope: nil, refusesForeignOrigin: !isSafe))
            site.respond(to: request) { finish($0) }
        } catch {
            finish(error.response)
        }
    }
}
