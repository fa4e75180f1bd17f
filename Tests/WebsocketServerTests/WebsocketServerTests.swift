// SPDX-License-Identifier: Apache-2.0

import FrontDoor
import Glibc
import HTTP
import Kernel
import Logging
import MicrohttpdServer
import KernelTesting
import SocketTesting
import Synchronization
import Testing
import WebsocketServer

/// Sends back what comes.
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

/// Its timer is due again and again, a frame for the last client each time; and when it is woken.
private final class TimedApplication: WebSocketApplication {
    struct State {
        var session: EchoSession?
        var wake: (@Sendable () -> Void)?
        var ticks = 0
        /// So many more are due.
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
}

@Suite(.serialized) struct WebsocketServerTests {
    let application = EchoApplication()
    let rig: WebsocketRig
    var server: WebsocketServer { rig.server }
    var door: FrontDoor { rig.door }

    init() throws { rig = try WebsocketRig(application) }

    private func client(_ path: String = "/e", headers: String = "") throws -> WebsocketClient {
        try WebsocketClient(port: door.port, path: path, headers: headers)
    }

    private var session: EchoSession { application.sessions.withLock { $0[0] } }

    @Test func shakesHands_RFC6455_4_2_2() throws {
        let client = try client(
            "/e%20?x=1", headers: "Origin: http://o\r\nCookie: c=d\r\nSec-WebSocket-Protocol: bearer.T, tonearm.v1\r\n")
        #expect(client.response.hasPrefix("HTTP/1.1 101 "))
        #expect(client.response.contains("s3pPLMBiTxaQ9kYGzzhZRbK+xOo="))
        #expect(client.response.lowercased().contains("\r\nsec-websocket-protocol: tonearm.v1\r\n"))
        #expect(!client.response.lowercased().contains("extensions"))
        let request = application.requests.withLock { $0[0] }
        #expect(
            request.path == "/e%20" && request.query.map(\.value) == ["1"] && request.headers["origin"] == "http://o")
        #expect(request.headers["Sec-WebSocket-Protocol"] == "bearer.T, tonearm.v1")
    }

    @Test func echoes_alsoWhatFollowsTheHandshakeAtOnce() throws {
        let client = try client()
        for text in ["hello", "劉", "", String(repeating: "é", count: 30_000)] {
            try client.send(text)
            #expect(try client.receive() == ClientFrame(opcode: 1, payload: Array(text.utf8)))
        }
        #expect(!client.response.lowercased().contains("sec-websocket-protocol"))
    }

    @Test func reassembles_fragments() throws {
        let client = try client()
        try client.send(opcode: 1, Array("ab".utf8), isFinal: false)
        try client.send(opcode: 9, [1])
        try client.send(opcode: 0, Array("cd".utf8), isFinal: false)
        try client.send(opcode: 0, Array("ef".utf8))
        // The pong may come before or after the message (RFC 6455 section 5.5.2: as soon as is practical).
        let answers = [try client.receive(), try client.receive()]
        #expect(answers.contains(ClientFrame(opcode: 10, payload: [1])))
        #expect(answers.contains(ClientFrame(opcode: 1, payload: Array("abcdef".utf8))))
    }

    @Test func refuses_withTheApplicationsAnswer() throws {
        let client = try client("/no")
        #expect(client.response.hasPrefix("HTTP/1.1 403 Forbidden\r\n"))
        #expect(client.response.contains("\r\nX-Why: origin\r\n"))
        #expect(try client.socket.receive(exactly: 4) == Array("nope".utf8))
        client.socket.shutDownSending()
        #expect(eventually { door.connectionCount == 0 })
    }

    @Test func refuses_whenTheHandshakeIsWrong() throws {
        for (fields, status) in [
            ("Sec-WebSocket-Key: x\r\nSec-WebSocket-Version: 13", 400),
            ("Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 8", 426),
        ] {
            let socket = try TestSocket(port: door.port)
            try socket.send(
                "GET / HTTP/1.1\r\nHost: h\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\(fields)\r\n\r\n")
            #expect(try socket.response().status == status)
        }
        #expect(application.requests.withLock { $0.isEmpty })
    }

    @Test(arguments: [
        (UInt8(1), [UInt8](repeating: 97, count: 70_000), 1009), (1, [0xFF, 0xFE], 1007), (2, [1, 2], 1003),
    ])
    func closes_whenTheMessageIsWrong(opcode: UInt8, payload: [UInt8], code: Int) throws {
        let client = try client()
        // The server may have closed before all was sent.
        do { try client.send(opcode: opcode, payload) } catch is TestSocketError {}
        #expect(try client.receive().code == code)
        do { try client.send(opcode: 8, [0x03, 0xE8]) } catch is TestSocketError {}
        client.socket.shutDownSending()
        #expect(eventually { session.state.withLock { $0.closes } == 1 })
        #expect(session.state.withLock { $0.received.isEmpty })
    }

    @Test func closes1009_whenFragmentsExceedTheLimit() throws {
        let client = try client()
        for index in 0..<3 {
            try client.send(opcode: index == 0 ? 1 : 0, [UInt8](repeating: 97, count: 30_000), isFinal: false)
        }
        #expect(try client.receive().code == 1009)
    }

    @Test func answersClose_andEndsTheSession() throws {
        let client = try client()
        try client.send(opcode: 8, [0x03, 0xE8])
        #expect(try client.receive().code == 1000)
        #expect(eventually { session.state.withLock { $0.closes } == 1 })
        #expect(eventually { door.connectionCount == 0 })
    }

    @Test(arguments: [0, 999, 1004, 1005, 1006, 1015, 2000, 5000, 65_535])
    func ends_whenTheCloseCodeIsBad(code: Int) throws {
        let client = try client()
        try client.send(opcode: 8, [UInt8(code >> 8), UInt8(code & 0xFF)])
        #expect(try client.receive().code == 1002)
        client.socket.shutDownSending()
        #expect(eventually { session.state.withLock { $0.closes } == 1 })
    }

    @Test func answers1002_whenTheCloseCodeIsCutInHalf_RFC6455_5_5_1() throws {
        let client = try client()
        try client.send(opcode: 8, [0x03])
        #expect(try client.receive().code == 1002)
        #expect(eventually { session.state.withLock { $0.closes } == 1 })
    }

    @Test func refusesTwoHosts_RFC9112_3_2() throws {
        let socket = try TestSocket(port: door.port)
        try socket.send(
            "GET /e HTTP/1.1\r\nHost: a\r\nHost: b\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                + "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n")
        #expect(try socket.response().status == 400)
        #expect(application.requests.withLock { $0.isEmpty })
    }

    @Test func ends_whenTheClientVanishes() throws {
        do { _ = try client() }
        #expect(eventually { session.state.withLock { $0.closes } == 1 })
        #expect(eventually { door.connectionCount == 0 })
    }

    @Test func sendsFromAnyThread_andClosesWithCode() throws {
        let client = try client()
        #expect(eventually { application.sessions.withLock { $0.count } == 1 })
        #expect(eventually { session.state.withLock { $0.wake != nil } })
        for index in 0..<100 { session.send(.text(SharedBytes(Array("\(index)".utf8)))) }
        session.send(.close(code: 4001, reason: "bye"))
        for index in 0..<100 { #expect(try client.receive().text == "\(index)") }
        let close = try client.receive()
        #expect(close.code == 4001 && close.payload.dropFirst(2).elementsEqual("bye".utf8))
    }

    @Test func pullsNoMore_whenTheClientDoesNotRead() throws {
        let client = try client()
        #expect(eventually { application.sessions.withLock { $0.count } == 1 })
        #expect(eventually { session.state.withLock { $0.wake != nil } })
        let frame = SharedBytes([UInt8](repeating: 97, count: 60_000))
        for _ in 0..<1000 { session.send(.text(frame)) }
        // Until it has stood still: the kernel's buffers are full.
        var last = -1
        #expect(
            eventually {
                let pulls = session.state.withLock { $0.pulls }
                defer { last = pulls }
                return pulls > 0 && pulls == last
            })
        #expect(session.state.withLock { $0.pulls } < 500)
        for _ in 0..<1000 { #expect(try client.receive().payload.count == 60_000) }
    }

    @Test func closes1001_whenStopped() throws {
        let clients = try (0..<20).map { _ in try client() }
        #expect(eventually { application.sessions.withLock { $0.allSatisfy { $0.state.withLock { $0.wake != nil } } } })
        server.stop()
        for client in clients { #expect(try client.receive().code == 1001) }
        #expect(application.sessions.withLock { $0.allSatisfy { $0.state.withLock { $0.closes } == 1 } })
        session.send(.text(SharedBytes([65])))
    }

    @Test func answersPings_withoutWaitingForItsTimers() throws {
        let client = try client()
        let began = ContinuousClock.now
        for number in 0..<30 {
            try client.send(opcode: 9, [UInt8(number)])
            #expect(try client.receive() == ClientFrame(opcode: 10, payload: [UInt8(number)]))
        }
        // A pong that waits for the timers' turn takes up to 2 s: half a minute on the whole.
        #expect(ContinuousClock.now - began < .seconds(15))
    }

    @Test func pings_andDropsTheClientThatDoesNotAnswer() throws {
        let application = EchoApplication()
        let rig = try WebsocketRig(application, pingSeconds: 1)
        let client = try WebsocketClient(port: rig.door.port)
        #expect(try client.receive().opcode == 9)
        #expect(try client.socket.receiveToEnd().utf8.count < 16)
        #expect(eventually { rig.door.connectionCount == 0 })
        #expect(application.sessions.withLock { $0[0] }.state.withLock { $0.closes } == 1)
    }

    /// Without clients, with one, and while one is ending, when libwebsockets itself waits.
    @Test func ticksWhenItIsDueAndWhenItIsWoken_notMoreOften() throws {
        let application = TimedApplication()
        let rig = try WebsocketRig(application)
        application.start(5)
        #expect(eventually { application.state.withLock { $0.ticks } == 5 })
        let client = try WebsocketClient(port: rig.door.port)
        application.start(5)
        for _ in 0..<5 { #expect(try client.receive().text == "tick") }
        try client.send(opcode: 8, [0x03, 0xE8])
        application.start(3)
        #expect(eventually { application.state.withLock { $0.ticks } == 13 })
        rig.server.stop()
        application.start(2)
        #expect(application.state.withLock { $0.ticks } == 13)
    }

    @Test func leavesNoDescriptors_whenClientsComeAndGo() throws {
        do { _ = try client() }
        #expect(eventually { door.connectionCount == 0 })
        let before = openDescriptors()
        for _ in 0..<500 { _ = try client() }
        #expect(eventually { door.connectionCount == 0 })
        // Other suites run beside this one.
        #expect(eventually { openDescriptors() <= before + 100 })
    }

    @Test func serves1000ClientsAtOnce() throws {
        let clients = try (0..<1000).map { _ in try client() }
        for client in clients { try client.send("x") }
        for client in clients { #expect(try client.receive().text == "x") }
    }
}
