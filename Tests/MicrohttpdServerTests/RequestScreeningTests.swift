// SPDX-License-Identifier: Apache-2.0

import Glibc
import HTTP
import Kernel
import KernelTesting
import SocketTesting
import Synchronization
import Testing

/// Requests that are refused, dropped or abandoned before the responder replies.
@Suite(.serialized) struct RequestScreeningTests {
    @Test(arguments: [
        "Host: h\u{1}.example\r\n", "Host: h\r\nX: a\u{1}b\r\n", "Host: h\r\nX: a\u{7F}\r\nY: c\r\n",
    ])
    func controlCharacters_are400_onAUsedConnection_RFC9110_5_5(fields: String) throws {
        let server = try LiveServer.echo()
        let client = try server.client()
        try client.send("GET /first HTTP/1.1\r\nHost: h\r\nX: \ta  \r\nLonger-Name:none\r\nEmpty:\r\n\r\n")
        #expect(try client.response().status == 200)
        try client.send("GET /second HTTP/1.1\r\n\(fields)\r\n")
        #expect(try client.response().status == 400)
        #expect(server.requests.map(\.path) == ["/first"])
    }

    @Test func ordinaryFields_areAccepted_onAUsedConnection() throws {
        let server = try LiveServer.echo()
        let client = try server.client()
        for fields in [
            "Host: h\r\nX:\ta \r\nY:  b\r\nE:\r\n", "Host: h\nX: a\nE:\n", "Host: h\r\nCookie: a=b; c=d\r\nZ: 1\r\n",
        ] {
            try client.send("GET /x HTTP/1.1\r\n\(fields)\r\n")
            #expect(try client.response().status == 200)
            try client.send("PUT /x HTTP/1.1\r\nContent-Length: 3\r\n\(fields)\r\nabc")
            #expect(try client.response().body == "PUT /x 3")
        }
    }

    @Test func absoluteForm_isForItsAuthority_RFC9112_3_2_2() throws {
        let server = try LiveServer.echo()
        let client = try server.client()
        try client.send("GET http://other.example:80/p?a=b HTTP/1.1\r\nHost: localhost\r\n\r\n")
        #expect(try client.response().body == "GET /p 0")
        #expect(server.requests[0].headers.values("Host") == ["other.example:80"])
        try client.send("GET other/path HTTP/1.1\r\nHost: localhost\r\n\r\n")
        #expect(try client.response().status == 400)
    }

    @Test func largeBody_isRefusedByItsHead() throws {
        let server = try LiveServer.echo(bodyLimit: 300_000)
        let client = try server.client()
        let body = String(repeating: "x", count: 200_000)
        // The body of a client that does not ask first is dropped, and the connection continues.
        try client.send("PUT /l HTTP/1.1\r\nHost: h\r\nX-Refused: 1\r\nContent-Length: 200000\r\n\r\n\(body)")
        #expect(try client.response(hasBody: false).status == 412)
        try client.send("GET /g HTTP/1.1\r\nHost: h\r\n\r\n")
        #expect(try client.response().body == "GET /g 0")
        try client.send(
            "PUT /l HTTP/1.1\r\nHost: h\r\nX-Refused: 1\r\nContent-Length: 200000\r\nExpect: 100-continue\r\n\r\n")
        #expect(try client.response(hasBody: false).status == 412)
        #expect(server.requests.map(\.path) == ["/g"])
    }

    @Test func chunkedBody_isScreened_whenItBecomesLarge() throws {
        let server = try LiveServer.echo(bodyLimit: 300_000)
        let (small, client) = (try server.client(), try server.client())
        let head = "PUT /c HTTP/1.1\r\nHost: h\r\nX-Refused: 1\r\nTransfer-Encoding: chunked\r\n\r\n"
        try small.send(head + "3\r\nabc\r\n0\r\n\r\n")
        #expect(try small.response().body == "PUT /c 3")
        try client.send(head + "186a0\r\n\(String(repeating: "x", count: 100_000))\r\n0\r\n\r\n")
        #expect(try client.response(hasBody: false).status == 412)
        #expect(server.requests.count == 1)
    }

    @Test func largeBodies_shareTheirMemory_andSmallOnesDoNot() throws {
        let server = try LiveServer(bodyMemory: 300_000)
        let body = String(repeating: "x", count: 200_000)
        let (first, second, small) = (try server.client(), try server.client(), try server.client())
        try first.send("PUT /1 HTTP/1.1\r\nHost: h\r\nContent-Length: 200000\r\n\r\n\(body)")
        #expect(eventually { server.held.count == 1 })
        try second.send("PUT /2 HTTP/1.1\r\nHost: h\r\nContent-Length: 200000\r\n\r\n\(body)")
        #expect(try second.response().status == 503)
        try small.send("PUT /3 HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\n\r\nabc")
        #expect(eventually { server.held.count == 2 })
        for reply in server.held { reply(HTTPResponse(status: 204)) }
        #expect(try first.response(hasBody: false).status == 204)
        // The replies have freed the memory.
        try second.send("PUT /4 HTTP/1.1\r\nHost: h\r\nContent-Length: 200000\r\n\r\n\(body)")
        #expect(eventually { server.held.count == 3 })
        server.held[2](HTTPResponse(status: 204))
        #expect(try second.response(hasBody: false).status == 204)
    }

    @Test func aRefusedLargeBody_freesItsShareOfTheMemory() throws {
        let replies = Mutex<[Script.Reply]>([])
        let server = try LiveServer(bodyLimit: 1 << 20, bodyMemory: 400_000) { request, reply in
            if request.path == "/1" { return replies.withLock { $0.append(reply) } }
            reply(HTTPResponse(status: 200, body: .bytes([120])))
        }
        let body = String(repeating: "x", count: 200_000)
        let (first, second) = (try server.client(), try server.client())
        try first.send("PUT /1 HTTP/1.1\r\nHost: h\r\nContent-Length: 200000\r\n\r\n\(body)")
        #expect(eventually { replies.withLock { $0.count } == 1 })
        // This body exceeds the memory already, and is incomplete.
        try second.send("PUT /2 HTTP/1.1\r\nHost: h\r\nContent-Length: 400000\r\n\r\n\(body)\(body.dropLast())")
        // Other bodies may be refused until the server has noticed that.
        var status = 503
        for _ in 0..<100 where status == 503 {
            let third = try server.client()
            try third.send("PUT /3 HTTP/1.1\r\nHost: h\r\nContent-Length: 200000\r\n\r\n\(body)")
            status = try third.response().status
        }
        #expect(status == 200)
        try second.send("x")
        #expect(try second.response().status == 503)
        for reply in replies.withLock({ $0 }) { reply(HTTPResponse(status: 204)) }
        #expect(try first.response(hasBody: false).status == 204)
    }

    @Test func aChunkedBody_mayBeAsLargeAsTheLimit_andNoByteLarger() throws {
        let server = try LiveServer.echo(bodyLimit: 100_000)
        for (count, status) in [(100_000, 200), (100_001, 413)] {
            let client = try server.client()
            let body = String(repeating: "x", count: count)
            try client.send(
                "PUT /c HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n"
                    + "\(String(count, radix: 16))\r\n\(body)\r\n0\r\n\r\n")
            #expect(try client.response().status == status)
        }
    }

    /// A refused body is dropped, but only up to a limit.
    @Test func aRefusedBodyWithoutEnd_losesItsConnection() throws {
        let server = try LiveServer.echo(bodyLimit: 100_000)
        let client = try server.client()
        try client.send("PUT /c HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n")
        let chunk = "186a0\r\n\(String(repeating: "x", count: 100_000))\r\n"
        #expect(throws: (any Error).self) {
            for _ in 0..<30 { try client.send(chunk) }
            try client.send("0\r\n\r\n")
            let answer = try client.response()
            Issue.record("answered \(answer.status)")
        }
    }

    @Test func chunksOfOneByte_areAccepted() throws {
        let server = try LiveServer.echo()
        let client = try server.client()
        let chunks = String(repeating: "1\r\nx\r\n", count: 20_000)
        try client.send("PUT /c HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n\(chunks)0\r\n\r\n")
        #expect(try client.response().body == "PUT /c 20000")
    }

    /// libmicrohttpd bounds the extensions of each chunk, but not of a whole body.
    @Test func endlessChunkExtensions_loseTheirConnection() throws {
        let server = try LiveServer.echo()
        let client = try server.client()
        try client.send("PUT /c HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n")
        let chunk = "1;\(String(repeating: "a", count: 20_000))\r\nx\r\n"
        #expect(throws: (any Error).self) {
            for _ in 0..<2_000 { try client.send(chunk) }
            try client.send("0\r\n\r\n")
            let response = try client.response()
            Issue.record("response \(response.status)")
        }
    }

    @Test func recipient_isGone_whenTheClientCloses_orTheResponseIsSent() throws {
        let server = try LiveServer(halfCloseSeconds: 0)
        let recipient = { (index: Int) in server.requests[index].recipient }
        do {
            let client = try server.client()
            try client.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
            #expect(eventually { server.held.count == 1 })
            #expect(recipient(0)?.isGone == false)
        }
        #expect(eventually { recipient(0)?.isGone == true })
        let client = try server.client()
        try client.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
        #expect(eventually { server.held.count == 2 })
        #expect(recipient(1)?.isGone == false)
        for reply in server.held { reply(HTTPResponse(status: 204)) }
        #expect(try client.response(hasBody: false).status == 204)
        #expect(recipient(1)?.isGone == true)
    }

    @Test func recipient_stays_whenTheClientClosesItsSendingHalfOnly() throws {
        let server = try LiveServer()
        let recipient = { (index: Int) in server.requests[index].recipient }
        let client = try server.client()
        try client.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
        shutdown(client.descriptor, Int32(SHUT_WR))
        #expect(eventually { server.held.count == 1 })
        #expect(recipient(0)?.isGone == false)
        server.held[0](HTTPResponse(status: 204))
        #expect(try client.response(hasBody: false).status == 204)
        do {
            let client = try server.client()
            try client.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
            #expect(eventually { server.held.count == 2 })
            // Closing resets the connection.
            var reset = linger(l_onoff: 1, l_linger: 0)
            setsockopt(client.descriptor, SOL_SOCKET, SO_LINGER, &reset, socklen_t(MemoryLayout<linger>.size))
        }
        #expect(eventually { recipient(1)?.isGone == true })
        server.held[1](HTTPResponse(status: 204))
    }

    /// It ends with the head, or within the body.
    @Test(arguments: ["", "abc"])
    func incompleteBody_endsTheConnection_whenTheClientEndsIt(body: String) throws {
        let server = try LiveServer.echo()
        let client = try server.client()
        try client.send("PUT /a HTTP/1.1\r\nHost: h\r\nContent-Length: 10\r\n")
        // The front door waits for the rest of the head, which arrives together with the end.
        var cork: Int32 = 1
        setsockopt(client.descriptor, Int32(IPPROTO_TCP), TCP_CORK, &cork, socklen_t(MemoryLayout<Int32>.size))
        try client.send("\r\n\(body)")
        client.shutDownSending()
        #expect(try client.receiveToEnd() == "")
        #expect(server.requests.isEmpty)
    }

    @Test func completeBody_isAnswered_whenTheClientEndsItsSendingHalf() throws {
        let server = try LiveServer()
        let client = try server.client()
        try client.send("PUT /a HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\n\r\nabc")
        client.shutDownSending()
        #expect(eventually { server.held.count == 1 })
        server.held[0](HTTPResponse(status: 204))
        #expect(try client.response(hasBody: false).status == 204)
    }

    /// An idle connection beside it decides which connections libmicrohttpd looks at first. The connection's end comes with
    /// its request, or while the request is answered.
    @Test(arguments: [true, false])
    func halfClosedConnection_isAnswered_besideIdleOnes_andEnds(atOnce: Bool) throws {
        let server = try LiveServer(threads: 1)
        let idle = try server.client()
        try idle.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
        #expect(eventually { server.held.count == 1 })
        server.held[0](HTTPResponse(status: 204))
        #expect(try idle.response(hasBody: false).status == 204)
        let client = try server.client()
        try client.send("POST /a HTTP/1.1\r\nHost: h\r\nContent-Length: 0\r\n\r\nPOST /b HTTP/1.1\r\nHost: h\r\n\r\n")
        if atOnce { client.shutDownSending() }
        for index in 1...2 {
            #expect(eventually { server.held.count == index + 1 })
            client.shutDownSending()
            server.held[index](HTTPResponse(status: 204))
            #expect(try client.response(hasBody: false).status == 204)
        }
        #expect(try client.receiveToEnd() == "")
        #expect(server.requests.count == 3)
    }

    /// The server's thread is busy, so that it sends none of the responses before all are there.
    @Test func largeResponses_countFromTheReply() throws {
        let large = 400 << 10
        let replies = Mutex<[Script.Reply]>([])
        let (entered, goesOn) = (Mailbox<Void>(), Mailbox<Void>())
        let server = try LiveServer(answerMemory: 1 << 20, threads: 1) { request, reply in
            if request.path == "/hold" {
                entered.post(())
                _ = goesOn.take(until: .now.advanced(bySeconds: 60))
                reply(HTTPResponse(status: 204))
            } else {
                replies.withLock { $0.append(reply) }
            }
        }
        let clients = try (0..<3).map { _ in try server.client() }
        for client in clients { try client.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n") }
        #expect(eventually { replies.withLock { $0.count } == 3 })
        let holder = try server.client()
        try holder.send("GET /hold HTTP/1.1\r\nHost: h\r\n\r\n")
        _ = entered.take(until: .now.advanced(bySeconds: 60))
        for reply in replies.withLock({ $0 }) {
            reply(HTTPResponse(status: 200, body: .bytes([UInt8](repeating: 65, count: large))))
        }
        goesOn.post(())
        #expect(try clients.map { try $0.response().status }.sorted() == [200, 200, 503])
    }

    /// libmicrohttpd ends the process if it stops while a connection is suspended.
    @Test func stop_waitsForConcurrentReplies() throws {
        for _ in 0..<100 {
            let server = try LiveServer()
            let clients = try (0..<8).map { _ in try server.client() }
            for client in clients { try client.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n") }
            #expect(eventually { server.held.count == 8 })
            let waiting = server.held
            let replier = NamedThread("replier") { for reply in waiting { reply(HTTPResponse(status: 204)) } }
            server.stop()
            replier.join()
        }
    }

    /// Unread responses stay in the server's memory.
    @Test func unreadLargeResponses_areBounded() throws {
        let large = 20 << 20
        let server = try LiveServer(answerMemory: 30 << 20) { request, reply in
            reply(
                HTTPResponse(status: 200, body: .bytes([UInt8](repeating: 65, count: request.path == "/l" ? large : 9)))
            )
        }
        let get = "GET /l HTTP/1.1\r\nHost: h\r\n\r\n"
        let slow = try server.client()
        try slow.send(get)
        #expect(try slow.receive(exactly: 12).elementsEqual("HTTP/1.1 200".utf8))
        let other = try server.client()
        try other.send(get)
        let refusal = try other.response()
        #expect(refusal.status == 503 && refusal.headers["retry-after"] == "1")
        try other.send("GET /s HTTP/1.1\r\nHost: h\r\n\r\n")
        #expect(try other.response().status == 200)
        // The slow client gets the whole response, and then there is room again.
        _ = try slow.receive(until: "\r\n\r\n")
        #expect(try slow.receive(exactly: large).count == large)
        #expect(
            eventually {
                do {
                    try other.send(get)
                    return try other.response().status == 200
                } catch { return false }
            })
    }
}
