// SPDX-License-Identifier: Apache-2.0

public import HTTP
import Kernel
public import Logging
public import Playback
public import Service
import Synchronization

/// The whole remote interface of the server: REST, events, health and metrics, in terms of HTTP values.
///
/// An HTTP server calls `respond`, a WebSocket server uses `webSockets`, and `observe` is subscribed to the event bus.
public final class RemoteAPI: HTTPResponder {
    public struct Configuration: Sendable {
        public var main: PlayerService
        public var clock: any PlayerClock
        public var access = AccessPolicy()
        /// Records wrong tokens.
        public var log: Logger?
        /// Responds to all paths outside the API: the page.
        public var site: any HTTPResponder
        /// Unique to each run of the server; letters, digits and hyphens.
        public var epoch: String
        public var serverVersion: String
        /// Constant for a data directory; opaque.
        public var serverID = ""
        /// The user's name for this server.
        public var serverName = ""
        public var openAPI: [UInt8] = []
        public var asyncAPI: [UInt8] = []

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
    private let site: any HTTPResponder
    private let idempotency: IdempotentRequests
    /// Reads large bodies, and then returns their memory to the system.
    private let worker = SupervisedWorker("api-bodies", seconds: nil, afterEach: { Heap.giveBack() })
    /// Bytes of a body that is read on the server's own thread.
    private static let largestAtOnce = 64 * 1024
    private let health: HealthCheck
    let requests = RequestCounters()
    /// The `server` of `hello`.
    let server: String
    /// The number of players that were ever admitted.
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
        let system = SystemRoutes(
            configuration: configuration, players: players, requests: requests, health: health)
        let others =
            context.mediaRoutes + context.libraryRoutes + context.cacheRoutes + context.recordingRoutes
            + context.playersRoutes + system.routes
        main = PlayerAPI(context, server: server, others)
        players.add(main)
        channel = EventChannel(gate: gate, players: players)
    }

    /// Admits clients to the event channels.
    public var webSockets: any WebSocketApplication { channel }

    /// Ends the event channels and the threads of the API and the service. Blocks until the running jobs have ended.
    public func shutdown() {
        for player in players.all { player.hub.stop() }
        worker.beginStop()
        // One deadline for all, as jobs that hang usually hang for the same reason.
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
        let origin = gate.origin(of: request)
        let finish = Finish(requests, request.method, route: label, origin: origin, reply: reply)
        do throws(Problem) {
            switch match {
            case .route(let route, let parameters):
                try run(route, parameters, request, target: "\(player?.context.epoch ?? "") \(path)", finish)
            case .methods(let allow):
                _ = try gate.admit(request, nil)
                guard request.method == .options else {
                    throw .methodNotAllowed(request.method.rawValue, allow: allow)
                }
                let preflight = origin.flatMap { _ in Gate.preflight(request, allow: allow) }
                finish(preflight ?? HTTPResponse(status: 204, headers: HTTPHeaders([("Allow", allow)])))
            case .none where player == nil:
                // Only clients that may read may learn which players exist.
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
        let scope = try route.admit(request, gate)
        // Health and contracts accept any query, as monitors may add parameters.
        if route.pattern.hasPrefix("/api/") { try Query(request).check(route.query) }
        let answer: Reply = { finish($0) }
        var request = request
        // The request is carried out even if the client disconnects, as the client can ask for the result again.
        if request.headers.contains("Idempotency-Key") { request.recipient = nil }
        let call = APICall(request: request, parameters: parameters, scope: scope)
        if route.isSafe { return route.answer(call, answer) }
        do throws(Problem) {
            if !request.body.isEmpty { try JSONBody.checkType(of: request.headers) }
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

    /// The page needs no token, but an allowed host name.
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

/// Decisions before a body is read.
extension RemoteAPI {
    public func bodyLimit(method: HTTPMethod, path: String) -> Int? {
        guard let (player, path) = players.find(path), case .route(let route, _) = player.router.match(method, path)
        else { return Route.smallBody }
        return route.largestBody
    }

    /// The refusal of a request that does not depend on its body.
    public func refusal(of head: HTTPRequest) -> HTTPResponse? {
        guard let (player, path) = players.find(head.path),
            case .route(let route, let parameters) = player.router.match(head.method, path)
        else { return nil }
        let finish = Finish(requests, head.method, route: route.pattern, origin: gate.origin(of: head))
        do throws(Problem) {
            _ = try route.admit(head, gate)
            try JSONBody.checkType(of: head.headers)
            // A repeated request gets the first reply, whatever has changed since.
            if head.headers["Idempotency-Key"] == nil {
                try route.precondition?(APICall(request: head, parameters: parameters))
            }
            return nil
        } catch {
            return finish.completed(error.response)
        }
    }
}
