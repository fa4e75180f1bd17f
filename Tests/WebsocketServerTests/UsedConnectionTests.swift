// SPDX-License-Identifier: Apache-2.0

import FrontDoor
import HTTP
import KernelTesting
import SocketTesting
import Testing

/// Handshakes on a connection that has served requests, as sent by clients with pooled connections.
@Suite(.serialized) struct UsedConnectionTests {
    let application = EchoApplication()
    let rig: WebsocketRig
    var door: FrontDoor { rig.door }

    init() throws { rig = try WebsocketRig(application) }

    /// libmicrohttpd reads the frames together with the request.
    @Test(arguments: [1, 7, 200]) func framesBehindTheRequestAreKept(_ count: Int) throws {
        let frames = (0..<count).flatMap { WebsocketClient.frame(Array("frame \($0)".utf8)) }
        let client = try rig.client(afterRequests: 1, behind: frames)
        for index in 0..<count { #expect(try client.receive().text == "frame \(index)") }
    }

    @Test func refuses_andTheConnectionGoesOn() throws {
        let socket = try rig.usedSocket()
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
            let client = try rig.client(afterRequests: 1)
            try client.send("x")
            #expect(try client.receive().text == "x")
            #expect(door.connectionCount == 1)
            client.socket.shutDownSending()
            #expect(try client.socket.receiveToEnd() == "")
            #expect(eventually { door.connectionCount == 0 })
        }
        #expect(eventually { openDescriptors() <= before })
    }
}
