// SPDX-License-Identifier: Apache-2.0

public import Service
public import HTTP
public import Logging
public import Playback
import Synchronization
import Kernel

/// The whole remote interface of a player: REST, events, health and metrics, in terms of HTTP values.
///
/// Hand `respond` to an HTTP server and `webSockets` to a WebSocket server, and let `observe` observe the event bus.
public final class RemoteAPI: HTTPResponder {
    public struct Configuration: Sendable {
        public var main: PlayerService
        public var clock: any PlayerClock
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
            main: PlayerService, clock: any PlayerClock, site: any HTTPResponder, epoch: String, serverVersion: String
        ) {
            self.main = main
            self.clock = clock
            self.site = site
            self.epoch = epoch
            self.serverVersion = serverVersion
        }
    }

    /// Every route: method, and pattern as in openapi.yaml.
    public let routes: [(method: String, pattern: String)]
    /// Those of them that every player has below `/players/{player}`.
    public let playerRoutes: [(method: String, pattern: String)]

    let gate: Gate
    let players = PlayerTable()
    let main: PlayerAPI
    let playersRoutes: PlayersRoutes
    private let site: any HTTPResponder
    private let idempotency: IdempotentRequests
    private let dispatcher: Dispatcher
    private let health: HealthCheck
    let requests = RequestCounters()
    /// As `hello` names it.
    let server: String
    /// Players that were admitted so far.
    let admitted = Atomic<UInt64>(0)
    private let channel: EventChannel

    public init(_ configuration: Configuration) {
        let clock = configuration.clock
        gate = Gate(policy: configuration.access, clock: clock, log: configuration.log)
        site = configuration.site
        idempotency = IdempotentRequests(clock: clock)
        dispatcher = Dispatcher()
        let players = players
        health = HealthCheck(clock: clock) { players.all.map { ($0.path.id, $0.services.player) } }
        let services = Services(configuration.main, epoch: configuration.epoch, clock: clock, players: players)
        server = "tonearm/" + configuration.serverVersion
        let hub = EventHub(services, server: server)
        playersRoutes = PlayersRoutes(
            players: { players.all }, server: services.server)
        let system = SystemRoutes(
            players: players, main: services.player, clock: clock, requests: requests, health: health,
            serverVersion: configuration.serverVersion, openAPI: configuration.openAPI,
            asyncAPI: configuration.asyncAPI, isReady: configuration.isReady)
        let others =
            MediaRoutes(services: services).routes + RenditionRoutes(services: services).routes
            + LibraryRoutes(services: services).routes + LibraryMediaRoutes(services: services).routes
            + PlaylistRoutes(services: services).routes + CacheRoutes(server: services.server).routes
            + RecordingRoutes(server: services.server).routes
            + playersRoutes.routes + system.routes + [ServerRoute(configuration).route]
        let own = PlayerAPI.routes(services, hub) + [playersRoutes.removal(of: .main)]
        let session = SessionRoutes(services: services).routes
        playerRoutes = own.map { ($0.method.rawValue, $0.pattern) }
        routes = (own + session + others).map { ($0.method.rawValue, $0.pattern) }
        main = PlayerAPI(services, hub: hub, own + session + others)
        players.add(main)
        channel = EventChannel(gate: gate, players: players)
    }

    /// Lets clients into the event channels.
    public var webSockets: any WebSocketApplication { channel }

    /// Ends the event channels, the background threads and those of the service; blocks until the jobs under way are done.
    public func shutdown() {
        for player in players.all { player.hub.stop() }
        dispatcher.worker.beginStop()
        // All of them hang where one does.
        let deadline = main.services.server.shutdown()
        dispatcher.worker.stop(until: deadline)
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
