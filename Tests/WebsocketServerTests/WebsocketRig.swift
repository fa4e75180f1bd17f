// SPDX-License-Identifier: Apache-2.0

import FrontDoor
import HTTP
import Kernel
import Logging
import MicrohttpdServer
import SocketTesting
import Synchronization
import Testing
import WebsocketServer

/// Echoes every message.
final class EchoSession: WebSocketSession {
    struct State {
        var frames: [WebSocketFrame] = []
        var wake: (@Sendable () -> Void)?
        var received: [String] = []
        var closes = 0
        var pulls = 0
    }

    let state = Mutex(State())

    func send(_ frame: WebSocketFrame) {
        let wake = state.withLock { state in
            state.frames.append(frame)
            return state.wake
        }
        wake?()
    }

    func opened(wake: @escaping @Sendable () -> Void) { state.withLock { $0.wake = wake } }
    func received(text: String) {
        state.withLock { $0.received.append(text) }
        send(.text(SharedBytes(Array(text.utf8))))
    }
    func nextFrame() -> WebSocketFrame? {
        state.withLock { state in
            guard !state.frames.isEmpty else { return nil }
            state.pulls += 1
            return state.frames.removeFirst()
        }
    }
    func closed() { state.withLock { $0.closes += 1 } }
}

final class EchoApplication: WebSocketApplication {
    let sessions = Mutex<[EchoSession]>([])
    let requests = Mutex<[HTTPRequest]>([])

    func accept(_ request: HTTPRequest) -> WebSocketAcceptance {
        requests.withLock { $0.append(request) }
        if request.path == "/no" {
            return .refused(
                HTTPResponse(status: 403, headers: HTTPHeaders([("X-Why", "origin")]), body: .bytes(Array("nope".utf8)))
            )
        }
        let session = EchoSession()
        sessions.withLock { $0.append(session) }
        let offered = request.headers["Sec-WebSocket-Protocol"] ?? ""
        return .accepted(session, subprotocol: offered.contains("tonearm.v1") ? "tonearm.v1" : nil)
    }
}

/// Sends a frame to the last client at each tick. `start` requests a number of ticks.
final class TimedApplication: WebSocketApplication {
    struct State {
        var session: EchoSession?
        var wake: (@Sendable () -> Void)?
        var ticks = 0
        /// Ticks that are still due.
        var left = 0
    }

    let state = Mutex(State())

    func accept(_ request: HTTPRequest) -> WebSocketAcceptance {
        let session = EchoSession()
        state.withLock { $0.session = session }
        return .accepted(session, subprotocol: nil)
    }

    func opened(wake: @escaping @Sendable () -> Void) { state.withLock { $0.wake = wake } }

    func tick() -> MonotonicTime? {
        let (session, isDue) = state.withLock { state in
            state.ticks += 1
            state.left = max(0, state.left - 1)
            return (state.session, state.left > 0)
        }
        session?.send(.text(SharedBytes(Array("tick".utf8))))
        return isDue ? .now.advanced(bySeconds: 0.01) : nil
    }

    func start(_ count: Int) {
        let wake = state.withLock { state in
            state.left = count
            return state.wake
        }
        wake?()
    }
}

/// A WebSocket server behind an HTTP server and a door; `GET /` is answered with `hello`.
struct WebsocketRig {
    let server: WebsocketServer
    let http: MicrohttpdServer
    let door: FrontDoor

    private struct Hello: HTTPResponder {
        func respond(to request: HTTPRequest, reply: @escaping @Sendable (HTTPResponse) -> Void) {
            reply(HTTPResponse(status: 200, body: .bytes(Array("hello".utf8))))
        }
    }

    init(_ application: any WebSocketApplication, pingSeconds: Int = 30) throws {
        DescriptorLimit.raise(toAtLeast: 8192)
        let log = Logger(label: "test")
        let server = try WebsocketServer(application: application, pingSeconds: pingSeconds, log: log)
        let http = try MicrohttpdServer(log: log, responder: Hello(), upgrader: server)
        (self.server, self.http) = (server, http)
        door = try FrontDoor(host: "127.0.0.1", port: 0, log: log) { http.adopt($0) }
    }

    /// A client whose connection has served a number of requests before the handshake, as pooled connections have.
    func client(
        _ path: String = "/e", headers: String = "", afterRequests count: Int = 0, behind: [UInt8] = []
    ) throws -> WebsocketClient {
        try WebsocketClient(path: path, headers: headers, socket: usedSocket(count), behind: behind)
    }

    func usedSocket(_ requests: Int = 1) throws -> TestSocket {
        let socket = try TestSocket(port: door.port)
        for _ in 0..<requests {
            try socket.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
            #expect(try socket.response().body == "hello")
        }
        return socket
    }
}
