// SPDX-License-Identifier: Apache-2.0

import Glibc
import HTTP
import Kernel
import KernelTesting
import SocketTesting
import Synchronization
import Testing

/// What is refused, dropped or noticed before a responder has done its work.
@Suite(.serialized) struct RequestScreeningTests {
    @Test(arguments: [
        "Host: h\u{1}.example\r\n", "Host: h\r\nX: a\u{1}b\r\n", "Host: h\r\nX: a\u{7F}\r\nY: c\r\n",
    ])
    func controlCharacters_are400_alsoOnAUsedConnection_RFC9110_5_5(fields: String) throws {
        let server = try LiveServer.echo()
        let client = try server.client()
        try client.send("GET /first HTTP/1.1\r\nHost: h\r\nX: \ta  \r\nLonger-Name:none\r\nEmpty:\r\n\r\n")
        #expect(try client.response().status == 200)
        try client.send("GET /second HTTP/1.1\r\n\(fields)\r\n")
        #expect(try client.response().status == 400)
        #expect(server.requests.withLock { $0.map(\.path) } == ["/first"])
    }

    @Test func ordinaryFields_areTaken_onAUsedConnection() throws {
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
        #expect(server.requests.withLock { $0[0].headers.values("Host") } == ["other.example:80"])
        try client.send("GET other/path HTTP/1.1\r\nHost: localhost\r\n\r\n")
        #expect(try client.response().status == 400)
    }

    @Test func largeBody_isRefusedByItsHead() throws {
        let server = try LiveServer.echo(bodyLimit: 300_000)
        let client = try server.client()
        let body = String(repeating: "x", count: 200_000)
        // One that asks first does not send it at all; another's is dropped, and the connection goes on.
        try client.send("PUT /l HTTP/1.1\r\nHost: h\r\nX-Refused: 1\r\nContent-Length: 200000\r\n\r\n\(body)")
        #expect(try client.response(hasBody: false).status == 412)
        try client.send("GET /g HTTP/1.1\r\nHost: h\r\n\r\n")
        #expect(try client.response().body == "GET /g 0")
        try client.send(
            "PUT /l HTTP/1.1\r\nHost: h\r\nX-Refused: 1\r\nContent-Length: 200000\r\nExpect: 100-continue\r\n\r\n")
        #expect(try client.response(hasBody: false).status == 412)
        #expect(server.requests.withLock { $0.map(\.path) } == ["/g"])
    }

    @Test func bodyInChunks_isLookedAtOnceItIsLarge() throws {
        let server = try LiveServer.echo(bodyLimit: 300_000)
        let (small, client) = (try server.client(), try server.client())
        let head = "PUT /c HTTP/1.1\r\nHost: h\r\nX-Refused: 1\r\nTransfer-Encoding: chunked\r\n\r\n"
        try small.send(head + "3\r\nabc\r\n0\r\n\r\n")
        #expect(try small.response().body == "PUT /c 3")
        try client.send(head + "186a0\r\n\(String(repeating: "x", count: 100_000))\r\n0\r\n\r\n")
        #expect(try client.response(hasBody: false).status == 412)
        #expect(server.requests.withLock { $0.count } == 1)
    }

    @Test func largeBodies_shareTheirMemory_andSmallOnesDoNot() throws {
        let replies = Mutex<[LiveServer.Reply]>([])
        let server = try LiveServer(bodyLimit: 1 << 20, bodyMemory: 300_000) { _, reply in
            replies.withLock { $0.append(reply) }
        }
        let body = String(repeating: "x", count: 200_000)
        let (first, second, small) = (try server.client(), try server.client(), try server.client())
        try first.send("PUT /1 HTTP/1.1\r\nHost: h\r\nContent-Length: 200000\r\n\r\n\(body)")
        #expect(eventually { replies.withLock { $0.count } == 1 })
        try second.send("PUT /2 HTTP/1.1\r\nHost: h\r\nContent-Length: 200000\r\n\r\n\(body)")
        #expect(try second.response().status == 503)
        try small.send("PUT /3 HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\n\r\nabc")
        #expect(eventually { replies.withLock { $0.count } == 2 })
        for reply in replies.withLock({ $0 }) { reply(HTTPResponse(status: 204)) }
        #expect(try first.response(hasBody: false).status == 204)
        // Answered: there is room again.
        try second.send("PUT /4 HTTP/1.1\r\nHost: h\r\nContent-Length: 200000\r\n\r\n\(body)")
        #expect(eventually { replies.withLock { $0.count } == 3 })
        replies.withLock { $0[2] }(HTTPResponse(status: 204))
        #expect(try second.response(hasBody: false).status == 204)
    }

    @Test func largeBodies_mayBeAsMuchAsThereIsRoomFor_andARefusedOneGivesItsPartBack() throws {
        let replies = Mutex<[LiveServer.Reply]>([])
        let server = try LiveServer(bodyLimit: 1 << 20, bodyMemory: 400_000) { request, reply in
            if request.path == "/1" { return replies.withLock { $0.append(reply) } }
            reply(HTTPResponse(status: 200, body: .bytes([120])))
        }
        let body = String(repeating: "x", count: 200_000)
        let (first, second) = (try server.client(), try server.client())
        try first.send("PUT /1 HTTP/1.1\r\nHost: h\r\nContent-Length: 200000\r\n\r\n\(body)")
        #expect(eventually { replies.withLock { $0.count } == 1 })
        // Of this one there is too much already, and more to come.
        try second.send("PUT /2 HTTP/1.1\r\nHost: h\r\nContent-Length: 400000\r\n\r\n\(body)\(body.dropLast())")
        // Until that has been noticed others may find no room.
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

    @Test func aBodyInChunks_mayBeAsLargeAsTheLimit_andNoByteLarger() throws {
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

    /// What is refused is dropped as it comes, but not for ever.
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

    @Test func recipient_isGone_whenTheClientClosesOrIsAnswered() throws {
        let replies = Mutex<[LiveServer.Reply]>([])
        let server = try LiveServer(halfCloseSeconds: 0) { _, reply in replies.withLock { $0.append(reply) } }
        let recipient = { (index: Int) in server.requests.withLock { $0[index].recipient } }
        do {
            let client = try server.client()
            try client.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
            #expect(eventually { replies.withLock { $0.count } == 1 })
            #expect(recipient(0)?.isGone == false)
        }
        #expect(eventually { recipient(0)?.isGone == true })
        let client = try server.client()
        try client.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
        #expect(eventually { replies.withLock { $0.count } == 2 })
        #expect(recipient(1)?.isGone == false)
        for reply in replies.withLock({ $0 }) { reply(HTTPResponse(status: 204)) }
        #expect(try client.response(hasBody: false).status == 204)
        #expect(recipient(1)?.isGone == true)
    }

    @Test func recipient_staysWhoClosesItsSendingHalf_untilItClosesBoth() throws {
        let replies = Mutex<[LiveServer.Reply]>([])
        let server = try LiveServer { _, reply in replies.withLock { $0.append(reply) } }
        let recipient = { (index: Int) in server.requests.withLock { $0[index].recipient } }
        let client = try server.client()
        try client.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
        shutdown(client.descriptor, Int32(SHUT_WR))
        #expect(eventually { replies.withLock { $0.count } == 1 })
        #expect(recipient(0)?.isGone == false)
        replies.withLock { $0[0] }(HTTPResponse(status: 204))
        #expect(try client.response(hasBody: false).status == 204)
        do {
            let client = try server.client()
            try client.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
            #expect(eventually { replies.withLock { $0.count } == 2 })
            // Its end is a reset.
            var reset = linger(l_onoff: 1, l_linger: 0)
            setsockopt(client.descriptor, SOL_SOCKET, SO_LINGER, &reset, socklen_t(MemoryLayout<linger>.size))
        }
        #expect(eventually { recipient(1)?.isGone == true })
        replies.withLock { $0[1] }(HTTPResponse(status: 204))
    }

    /// One after another would fit, as each is sent before the next: here their thread takes none of them yet.
    @Test func largeAnswers_countFromWhenTheyAreThere() throws {
        let large = 400 << 10
        let replies = Mutex<[LiveServer.Reply]>([])
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

    /// libmicrohttpd ends the process when it stops with a connection that is suspended.
    @Test func stop_waitsForRepliesThatComeAtTheSameTime() throws {
        for _ in 0..<100 {
            let replies = Mutex<[LiveServer.Reply]>([])
            let server = try LiveServer { _, reply in replies.withLock { $0.append(reply) } }
            let clients = try (0..<8).map { _ in try server.client() }
            for client in clients { try client.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n") }
            #expect(eventually { replies.withLock { $0.count } == 8 })
            let waiting = replies.withLock { $0 }
            let replier = NamedThread("replier") { for reply in waiting { reply(HTTPResponse(status: 204)) } }
            server.stop()
            replier.join()
        }
    }

    /// What is not read stays with the server: only so much of it, and only of large ones.
    @Test func largeAnswers_thatNobodyReads_areBounded() throws {
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
        // The rest of it: nothing was lost, and there is room again.
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
