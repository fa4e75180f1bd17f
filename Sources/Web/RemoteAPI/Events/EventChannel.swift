// SPDX-License-Identifier: Apache-2.0

import HTTP
import Kernel
import Service

/// `/events`: admits clients to the event channel, by WebSocket or as Server-Sent Events.
struct EventChannel: WebSocketApplication {
    static let path = "/api/v1/events"
    static let subprotocol = "tonearm.v1"

    let gate: Gate
    let players: PlayerTable

    func accept(_ request: HTTPRequest) -> WebSocketAcceptance {
        do throws(Problem) {
            let scope = try gate.admit(request, .read, refusesForeignOrigin: true) ?? .read
            guard let (player, route) = players.find(request.path) else {
                throw .unknownPlayer(PlayerPath.split(request.path).player ?? "")
            }
            guard route == Self.path else {
                throw .notFound("WebSockets are supported at \(Self.path) and a player's events only.")
            }
            let feed = EventFeed(try EventRequest(request), own: player.hub, players: players)
            let session = EventSession(feed, scope: scope, peer: request.peer, commands: player.commands)
            // The token's subprotocol is never echoed: it is a secret.
            let isOffered = request.headers.list("Sec-WebSocket-Protocol").contains { $0 == Self.subprotocol }
            return .accepted(session, subprotocol: isOffered ? Self.subprotocol : nil)
        } catch {
            return .refused(error.response)
        }
    }

    func opened(wake: @escaping @Sendable () -> Void) { players.setWake(wake) }
    func tick() -> MonotonicTime? { players.tick() }

    /// The route of the same path, for clients without a WebSocket.
    static func route(_ hub: EventHub, _ players: PlayerTable) -> Route {
        Route(method: .get, pattern: path, scope: .read, refusesForeignOrigin: true, query: EventRequest.parameters) {
            call, reply throws(Problem) in
            let request = call.request
            guard Negotiation.accepts("text/event-stream", accept: request.headers.combined("Accept")) else {
                throw .notAcceptable("Events come as text/event-stream, or over a WebSocket.")
            }
            let feed = EventFeed(try EventRequest(request), own: hub, players: players, wantsHeartbeat: true)
            reply(
                HTTPResponse(
                    status: 200,
                    headers: HTTPHeaders([
                        ("Content-Type", "text/event-stream"), ("Cache-Control", "no-store"),
                        ("X-Accel-Buffering", "no"),
                    ]), body: request.method == .head ? .none : .stream(EventStream(feed))))
        }
    }
}

/// The event channel as Server-Sent Events: the same subscriber with a streamed body.
final class EventStream: HTTPBodyStream {
    /// Approximate bytes per call.
    private static let chunkBytes = 32 * 1024

    private let feed: EventFeed

    init(_ feed: EventFeed) {
        self.feed = feed
    }

    func begin(wake: @escaping @Sendable () -> Void) {
        feed.connect(wake: wake)
    }

    func next() -> HTTPBodyChunk {
        if feed.client.isEnding { return .finished }
        let isParting = feed.client.parting != nil
        var text: [UInt8] = []
        loop: while text.count < Self.chunkBytes {
            let (next, epoch) = feed.next()
            switch next {
            case .frame(let frame): frame.serverSentEvent(epoch: epoch, into: &text)
            case .heartbeat: text.append(contentsOf: ":\n\n".utf8)
            case .resync, .none: break loop
            }
        }
        if text.isEmpty { return isParting ? .finished : .wait }
        return .bytes(text)
    }

    func end() {
        feed.disconnect()
    }
}
