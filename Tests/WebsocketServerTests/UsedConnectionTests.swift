// SPDX-License-Identifier: Apache-2.0

import FrontDoor
import HTTP
import KernelTesting
import SocketTesting
import Synchronization
import Testing

/// The handshake on a connection that has served requests: clients with pooled connections send it there.
@Suite(.serialized) struct UsedConnectionTests {
    let application = EchoApplication()
    let rig: WebsocketRig
    var door: FrontDoor { rig.door }

    init() throws { rig = try WebsocketRig(application) }

    private func usedSocket(requests: Int = 1) throws -> TestSocket {
        let socket = try TestSocket(port: door.port)
        for _ in 0..<requests {
            try socket.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
            #expect(try socket.response().body == "hello")
        }
        return socket
    }

    @Test func shakesHandsAndEchoes() throws {
        let client = try WebsocketClient(
            port: door.port, path: "/e?x=1", headers: "Sec-WebSocket-Protocol: bearer.T, tonearm.v1\r\n",
            socket: usedSocket(requests: 3))
        let response = client.response.lowercased()
        #expect(response.hasPrefix("http/1.1 101 "))
        #expect(client.response.contains("s3pPLMBiTxaQ9kYGzzhZRbK+xOo="))
        #expect(response.contains("\r\nsec-websocket-protocol: tonearm.v1\r\n"))
        #expect(response.contains("\r\nupgrade: websocket\r\n") && response.contains("\r\nconnection: upgrade\r\n"))
        for text in ["hello", "", String(repeating: "é", count: 30_000)] {
            try client.send(text)
            #expect(try client.receive() == ClientFrame(opcode: 1, payload: Array(text.utf8)))
        }
        let session = application.sessions.withLock { $0[0] }
        session.send(.text(SharedBytes(Array("news".utf8))))
        #expect(try client.receive().text == "news")
        try client.send(opcode: 8, [3, 232])
        #expect(try client.receive().code == 1000)
        #expect(eventually { session.state.withLock { $0.closes } == 1 })
    }

    /// libmicrohttpd has read them with the request.
    @Test(arguments: [1, 7, 200]) func losesNothingThatCameBehindTheRequest(_ count: Int) throws {
        let frames = (0..<count).flatMap { WebsocketClient.frame(Array("frame \($0)".utf8)) }
        let client = try WebsocketClient(port: door.port, socket: usedSocket(), behind: frames)
        for index in 0..<count { #expect(try client.receive().text == "frame \(index)") }
    }

    @Test func refuses_andTheConnectionGoesOn() throws {
        let socket = try usedSocket()
        try socket.send(
            "GET /no HTTP/1.1\r\nHost: h\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n")
        let refusal = try socket.response()
        #expect(refusal.status == 403 && refusal.headers["x-why"] == "origin" && refusal.body == "nope")
        try socket.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
        #expect(try socket.response().status == 200)
        // HTTP/1.0 has no upgrades.
        try socket.send(
            "GET /e HTTP/1.0\r\nHost: h\r\nUpgrade: websocket\r\nConnection: keep-alive, Upgrade\r\n"
                + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n")
        #expect(try socket.response().status == 400)
    }

    @Test func givesBackDescriptorsAndPlaces() throws {
        let before = openDescriptors()
        for _ in 0..<20 {
            let client = try WebsocketClient(port: door.port, socket: usedSocket())
            try client.send("x")
            #expect(try client.receive().text == "x")
            #expect(door.connectionCount == 1)
            client.socket.shutDownSending()
            #expect(try client.socket.receiveToEnd() == "")
            #expect(eventually { door.connectionCount == 0 })
        }
        #expect(eventually { openDescriptors() <= before })
    }

    @Test func endsWithTheServer() throws {
        let client = try WebsocketClient(port: door.port, socket: usedSocket())
        try client.send("x")
        #expect(try client.receive().text == "x")
        rig.server.stop()
        rig.http.stop()
        #expect(try client.receive().code == 1001)
        #expect(eventually { door.connectionCount == 0 })
    }
}
