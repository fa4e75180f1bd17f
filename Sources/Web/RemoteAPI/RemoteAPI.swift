// SPDX-License-Identifier: Apache-2.0

public import HTTP
import Kernel
public import Logging
public import Playback
public import Service
import Synchronization

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

    let gate: Gate
    let players = PlayerTable()
    let main: PlayerAPI
    let playersRoutes: PlayersRoutes
    private let site: any HTTPResponder
    private let idempotency: IdempotentRequests
    /// Reads large bodies, and gives the memory back that they took.
    private let worker = SupervisedWorker("api-bodies", seconds: nil, afterEach: { Heap.giveBack() })
    /// Of bodies that are read at once.
    private static let largestAtOnce = 64 * 1024
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
        let players = players
        health = HealthCheck(clock: clock) { players.all.map { ($0.path.id, $0.context.player) } }
        let context = PlayerContext(configuration.main, epoch: configuration.epoch, clock: clock, players: players)
        server = "tonearm/" + configuration.serverVersion
        let hub = EventHub(context, server: server)
        playersRoutes = PlayersRoutes(players: players, server: context.server)
        let system = SystemRoutes(
            configuration: configuration, players: players, requests: requests, health: health)
        let others =
            MediaRoutes(context: context).routes + LibraryRoutes(context: context).routes
            + PlaylistRoutes(context: context).routes + CacheRoutes(server: context.server).routes
            + RecordingRoutes(server: context.server).routes
            + playersRoutes.routes + system.routes
        let own = PlayerAPI.routes(context, hub) + [playersRoutes.removal(of: .main)]
        let session = SessionRoutes(context: context).routes
        main = PlayerAPI(context, hub: hub, own + session + others)
        players.add(main)
        channel = EventChannel(gate: gate, players: players)
    }

    /// Lets clients into the event channels.
    public var webSockets: any WebSocketApplication { channel }

    /// Ends the event channels, the background threads and those of the service; blocks until the jobs under way are done.
    public func shutdown() {
        for player in players.all { player.hub.stop() }
        worker.beginStop()
        // All of them hang where one does.
        let deadline = main.context.server.shutdown()
        worker.stop(until: deadline)
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
                try run(route, parameters, request, target: "\(player?.context.epoch ?? "") \(path)", finish)
            case .methods(let allow):
                _ = try gate.admit(request, nil)
                guard request.method == .options else {
                    throw .methodNotAllowed(request.method.rawValue, allow: allow)
                }
                finish(
                    gate.preflight(request, allow: allow)
                        ?? HTTPResponse(status: 204, headers: HTTPHeaders([("Allow", allow)])))
            case .none where player == nil:
                // Which players there are is for those who may read.
                _ = try gate.admit(request, .read)
                throw .unknownPlayer(PlayerPath.split(request.path).player ?? "")
            case .none:
                _ = try gate.admit(request, nil)
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
        let grant = try route.admit(request, gate)
        var finish = finish
        finish.origin = grant.origin
        // What stands beside the API (health, contracts) is asked by others, who may add what they like.
        if route.pattern.hasPrefix("/api/") { try Query(request).check(route.query) }
        let answer: Reply = { [finish] in finish($0) }
        var request = request
        // It is done to its end: who lost the connection asks again for what came of it.
        if request.headers.contains("Idempotency-Key") { request.recipient = nil }
        let call = APICall(request: request, parameters: parameters, scope: grant.scope)
        if route.isSafe { return route.answer(call, answer) }
        do throws(Problem) {
            try JSONBody.checkType(of: request)
            try idempotency.perform(request, target: target(), reply: answer) { reply throws(Problem) in
                guard request.body.count > Self.largestAtOnce else { return route.answer(call, reply) }
                let isTaken = worker.submit {
                    call.caller.isGone ? reply(Problem.clientGone.response) : route.answer(call, reply)
                }
                if !isTaken { throw .busy("Too many large requests are under way.") }
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
            _ = try gate.admit(request, nil, refusesForeignOrigin: !isSafe)
            site.respond(to: request) { finish($0) }
        } catch {
            finish(error.response)
        }
    }
}

/// What is decided before a body is read.
extension RemoteAPI {
    public func bodyLimit(method: HTTPMethod, path: String) -> Int? {
        guard let (player, path) = players.find(path), case .route(let route, _) = player.router.match(method, path)
        else { return Route.smallBody }
        return route.largestBody
    }

    /// What would be refused whatever the body holds.
    public func refusal(of head: HTTPRequest) -> HTTPResponse? {
        guard let (player, path) = players.find(head.path),
            case .route(let route, let parameters) = player.router.match(head.method, path)
        else { return nil }
        var finish = Finish(requests, head.method, route: route.pattern)
        do throws(Problem) {
            finish.origin = try route.admit(head, gate).origin
            try JSONBody.checkType(of: head.headers)
            // The answer of an earlier one holds, whatever has changed since.
            if head.headers["Idempotency-Key"] == nil {
                try route.precondition?(APICall(request: head, parameters: parameters))
            }
            return nil
        } catch {
            return finish.completed(error.response)
        }
    }
}
