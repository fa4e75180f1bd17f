// SPDX-License-Identifier: Apache-2.0

import FrontDoor
import HTTP
import KernelTesting
import SocketTesting
import Synchronization
import Testing
import WebsocketServer

@Suite(.serialized) struct WebsocketServerTests {
    let application = EchoApplication()
    let rig: WebsocketRig
    var door: FrontDoor { rig.door }

    init() throws { rig = try WebsocketRig(application) }

    private func client(_ path: String = "/e") throws -> WebsocketClient { try rig.client(path) }

    private var session: EchoSession { application.sessions.withLock { $0[0] } }

    @Test(arguments: [0, 3]) func shakesHands_RFC6455_4_2_2(requestsBefore: Int) throws {
        let client = try rig.client(
            "/e%20?x=1", headers: "Origin: http://o\r\nCookie: c=d\r\nSec-WebSocket-Protocol: bearer.T, tonearm.v1\r\n",
            afterRequests: requestsBefore)
        let response = client.response.lowercased()
        #expect(response.hasPrefix("http/1.1 101 "))
        #expect(client.response.contains("s3pPLMBiTxaQ9kYGzzhZRbK+xOo="))
        #expect(response.contains("\r\nsec-websocket-protocol: tonearm.v1\r\n"))
        #expect(response.contains("\r\nupgrade: websocket\r\n") && response.contains("\r\nconnection: upgrade\r\n"))
        #expect(!response.contains("extensions"))
        let request = application.requests.withLock { $0[0] }
        #expect(
            request.path == "/e%20" && request.query.map(\.value) == ["1"] && request.headers["origin"] == "http://o")
        #expect(request.headers["Sec-WebSocket-Protocol"] == "bearer.T, tonearm.v1")
        for text in ["hello", "", String(repeating: "é", count: 30_000)] {
            try client.send(text)
            #expect(try client.receive() == ClientFrame(opcode: 1, payload: Array(text.utf8)))
        }
        session.send(.text(SharedBytes(Array("news".utf8))))
        #expect(try client.receive().text == "news")
        try client.send(opcode: 8, [3, 232])
        #expect(try client.receive().code == 1000)
        #expect(eventually { session.state.withLock { $0.closes } == 1 && door.connectionCount == 0 })
    }

    @Test func reassembles_fragments() throws {
        let client = try client()
        #expect(!client.response.lowercased().contains("sec-websocket-protocol"))
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
            (
                "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Version: 8",
                426
            ),
            (
                "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n"
                    + "Sec-WebSocket-Version: 13", 400
            ),
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

    @Test(
        arguments: [[0x03]]
            + [0, 999, 1004, 1005, 1006, 1015, 2000, 5000, 65_535].map { [UInt8($0 >> 8), UInt8($0 & 0xFF)] })
    func answers1002_whenTheCloseCodeIsInvalid_RFC6455_7_4(payload: [UInt8]) throws {
        let client = try client()
        try client.send(opcode: 8, payload)
        #expect(try client.receive().code == 1002)
        client.socket.shutDownSending()
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
        // Waits until the kernel's buffers are full.
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
        let clients = try (0..<20).map { _ in try client() } + [rig.client(afterRequests: 1)]
        #expect(eventually { application.sessions.withLock { $0.allSatisfy { $0.state.withLock { $0.wake != nil } } } })
        rig.server.stop()
        rig.http.stop()
        for client in clients { #expect(try client.receive().code == 1001) }
        #expect(application.sessions.withLock { $0.allSatisfy { $0.state.withLock { $0.closes } == 1 } })
        #expect(eventually { door.connectionCount == 0 })
        session.send(.text(SharedBytes([65])))
    }

    @Test func answersPings_withoutWaitingForItsTimers() throws {
        let client = try client()
        let began = ContinuousClock.now
        for number in 0..<30 {
            try client.send(opcode: 9, [UInt8(number)])
            #expect(try client.receive() == ClientFrame(opcode: 10, payload: [UInt8(number)]))
        }
        // A pong that waits for the timers takes up to 2 s, so all would take half a minute.
        #expect(ContinuousClock.now - began < .seconds(15))
    }

    @Test func pings_andDropsASilentClient() throws {
        let application = EchoApplication()
        let rig = try WebsocketRig(application, pingSeconds: 1)
        let client = try rig.client()
        #expect(try client.receive().opcode == 9)
        #expect(try client.socket.receiveToEnd().utf8.count < 16)
        #expect(eventually { rig.door.connectionCount == 0 })
        #expect(application.sessions.withLock { $0[0] }.state.withLock { $0.closes } == 1)
    }

    /// Without clients, with one, and while one is ending, which is when libwebsockets itself waits.
    @Test func ticksWhenDueOrWoken_andNotMoreOften() throws {
        let application = TimedApplication()
        let rig = try WebsocketRig(application)
        application.start(5)
        #expect(eventually { application.state.withLock { $0.ticks } == 5 })
        let client = try rig.client()
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
