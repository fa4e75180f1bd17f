// SPDX-License-Identifier: Apache-2.0

import Glibc
import HTTP
import KernelTesting
import SocketTesting
import Synchronization
import Testing

@Suite(.serialized) struct MicrohttpdServerTests {
    let server: LiveServer
    let client: TestSocket

    init() throws {
        server = try LiveServer.echo()
        client = try server.client()
    }

    @Test func keepsAlive_andGivesTheRequest() throws {
        for _ in 0..<3 {
            try client.send("GET /a%20b?x=1%262&y HTTP/1.1\r\nHost: h\r\nX-Y: z\r\n\r\n")
            let response = try client.response()
            #expect(response.status == 200 && response.body == "GET /a%20b 0")
            #expect(response.headers["connection"] == nil && response.headers["server"] == nil)
            #expect(response.headers["date"] != nil && response.headers["x-a"] == "b")
        }
        let request = server.requests[0]
        #expect(request.query.map(\.value) == ["1&2", ""] && request.headers["x-y"] == "z")
        #expect(request.peer == .loopback)
    }

    @Test func answersPipelinedRequests_inOrder() throws {
        try client.send((0..<20).map { "GET /\($0) HTTP/1.1\r\nHost: h\r\n\r\n" }.joined())
        for index in 0..<20 { #expect(try client.response().body == "GET /\(index) 0") }
    }

    @Test func collectsBodies_withLengthAndChunked() throws {
        let body = String(repeating: "x", count: 300_000)
        try client.send("PUT /l HTTP/1.1\r\nHost: h\r\nContent-Length: 300000\r\n\r\n\(body)")
        #expect(try client.response().body == "PUT /l 300000")
        try client.send(
            "POST /c HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n")
        #expect(try client.response().body == "POST /c 5")
        #expect(server.requests[1].body == Array("abcde".utf8))
    }

    @Test func continues_whenExpected() throws {
        try client.send("PUT /e HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n")
        #expect(try client.receive(until: "\r\n\r\n").hasPrefix("HTTP/1.1 100 "))
        try client.send("ab")
        #expect(try client.response().body == "PUT /e 2")
    }

    @Test func sendsNoBody_forHEAD() throws {
        try client.send("HEAD /h HTTP/1.1\r\nHost: h\r\n\r\nGET /g HTTP/1.1\r\nHost: h\r\n\r\n")
        #expect(try client.response(hasBody: false).headers["content-length"] == "9")
        #expect(try client.response().body == "GET /g 0")
    }

    @Test func repliesLater_fromAnotherThread() throws {
        let server = try LiveServer()
        let clients = try (0..<10).map { _ in try server.client() }
        for client in clients { try client.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n") }
        #expect(eventually { server.held.count == 10 })
        for reply in server.held { reply(HTTPResponse(status: 200, body: .bytes([65]))) }
        for client in clients { #expect(try client.response().body == "A") }
    }

    @Test func survives_whenTheClientGoesDuringSuspension() throws {
        let server = try LiveServer()
        do {
            let client = try server.client()
            try client.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
            #expect(eventually { server.held.count == 1 })
        }
        server.held[0](HTTPResponse(status: 200, body: .bytes([65])))
        #expect(eventually { server.door.connectionCount == 0 })
    }

    @Test func sendsPartOfAFile() throws {
        let server = try LiveServer { _, reply in
            let file = OpenFile(open("/proc/self/exe", O_RDONLY))
            reply(HTTPResponse(status: 206, body: .file(file, offset: 1, length: 3)))
        }
        let client = try server.client()
        for _ in 0..<2 {
            try client.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
            #expect(try client.response().body == "ELF")
        }
    }

    @Test func sharesBodies_withDifferentHeaders() throws {
        let shared = SharedBytes(Array("same".utf8))
        let server = try LiveServer { request, reply in
            reply(HTTPResponse(status: 200, headers: HTTPHeaders([("X-P", request.path)]), body: .shared(shared)))
        }
        let client = try server.client()
        for index in 0..<30 {
            try client.send("GET /\(index % 12) HTTP/1.1\r\nHost: h\r\n\r\n")
            let response = try client.response()
            #expect(response.body == "same" && response.headers["x-p"] == "/\(index % 12)")
        }
    }

    @Test func streams_asTheStreamWakes() throws {
        let stream = FedStream()
        let server = try LiveServer { _, reply in reply(HTTPResponse(status: 200, body: .stream(stream))) }
        let client = try server.client()
        try client.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
        _ = try client.receive(until: "\r\n\r\n")
        #expect(eventually { stream.hasBegun })
        for text in ["one", "two"] {
            stream.feed(.bytes(Array(text.utf8)))
            #expect(try client.receive(until: "\r\n\(text)\r\n").contains("3"))
        }
        stream.feed(.bytes([UInt8](repeating: 120, count: 100_000)))
        stream.feed(.finished)
        #expect(try client.receive(until: "0\r\n\r\n").filter { $0 == "x" }.count == 100_000)
        #expect(eventually { stream.ends == 1 })
    }

    @Test func endsTheStream_whenTheClientGoes() throws {
        let stream = FedStream()
        let server = try LiveServer { _, reply in reply(HTTPResponse(status: 200, body: .stream(stream))) }
        do {
            let client = try server.client()
            try client.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
            _ = try client.receive(until: "\r\n\r\n")
            #expect(eventually { stream.hasBegun })
        }
        #expect(
            eventually {
                stream.feed(.bytes([65]))
                return stream.ends == 1
            })
        stream.feed(.bytes([65]))
        #expect(eventually { server.door.connectionCount == 0 })
        #expect(stream.ends == 1)
    }

    private static let huge = String(repeating: "a", count: 40_000)

    /// libmicrohttpd's own refusals are problem details, too, on a used connection.
    @Test(
        arguments: [
            ("GET /\(huge) HTTP/1.1\r\nHost: h\r\n\r\n", 414), ("GET / HTTP/1.1\r\nX: \(huge)\r\n\r\n", 431),
            ("GET / HTTP/1.1\r\nHost: h\r\nno colon\r\n\r\n", 400), ("GET / HTTP/3.0\r\nHost: h\r\n\r\n", 505),
            ("GET /\r\nHost: h\r\n\r\n", 400),
            ("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: abc\r\n\r\n", 400),
            ("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 99999999999999999999\r\n\r\n", 413),
            ("POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", 400),
            ("POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\n", 413),
            // A lone carriage return, in each part of a head.
            ("GET /a\rb HTTP/1.1\r\nHost: h\r\n\r\n", 400), ("\rGET / HTTP/1.1\r\nHost: h\r\n\r\n", 400),
            ("GET / HTTP/1.1\rX: y\r\nHost: h\r\n\r\n", 400), ("GET / HTTP/1.1\r\n\rHost: h\r\n\r\n", 400),
            ("GET / HTTP/1.1\r\nHost: h\r\nX: a\rY: b\r\n\r\n", 400),
            ("GET / HTTP/1.1\r\nHost: h\r\nX\rY: a\r\n\r\n", 400),
            ("GET / HTTP/1.1\r\nHost: h\r\nX: a\r\r\n\r\n", 400),
        ])
    func refusesWithProblemDetails_whenALaterHeadCannotBeRead(_ request: String, _ status: Int) throws {
        try client.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
        #expect(try client.response().status == 200)
        try client.send(request)
        let response = try client.response()
        #expect(response.status == status, "\(request.prefix(60)) \(response.body)")
        #expect(response.headers["content-type"] == ProblemDetails.mediaType, "\(request.prefix(60))")
        #expect(response.body.contains("\"status\":\(status),"), "\(response.body)")
        #expect(response.headers["connection"]?.lowercased() == "close")
    }

    @Test func ignoresAnUpgrade_withoutAnUpgrader_RFC9110_7_8() throws {
        for method in ["GET", "GET", "POST"] {
            try client.send("\(method) / HTTP/1.1\r\nHost: h\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n")
            #expect(try client.response().status == 200)
        }
        try client.send("GET / HTTP/1.1\r\nHost: h\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n")
        #expect(try client.response().status == 200)
    }

    @Test(
        arguments: [
            ("1.1\r\nHost: h\r\nHost: i\r\n", 400), ("1.1\r\nHost: h\r\nTransfer-Encoding: gzip\r\n", 501),
            ("1.1\r\nHost: h\r\nContent-Type: application/json\r\ncontent-type: text/plain\r\n", 400),
            ("1.1\r\nHost: h\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n", 400),
            ("1.1\r\nHost: h\r\nContent-Length: 0\r\nContent-Length: 3\r\n", 400),
            ("1.1\r\nHost: h\r\nX: a\r\n b\r\n", 400), ("1.1\r\nHost: h\r\nX:\r\n\tb\r\n", 400),
            ("1.1\r\nHost: h\r\nContent-Length: 1\r\n 0\r\n", 400),
            // RFC 9112 section 6.1.
            ("1.0\r\nTransfer-Encoding: chunked\r\n", 400),
        ], [false, true])
    func rejectsAmbiguousHeads_andCloses_RFC9112(_ head: (text: String, status: Int), later: Bool) throws {
        if later {
            try client.send("GET /first HTTP/1.1\r\nHost: h\r\n\r\n")
            #expect(try client.response().status == 200)
        }
        try client.send("POST /p HTTP/\(head.text)\r\n")
        #expect(try client.receiveToEnd().hasPrefix("HTTP/1.1 \(head.status) "))
        #expect(server.requests.count == (later ? 1 : 0))
    }

    /// A proxy may see another end of a chunked body, so the following bytes are not read as a request.
    @Test func endsTheConnection_afterAChunkedBody() throws {
        try client.send(
            "POST /c HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n3\nabc\r\n0\r\n\r\n"
                + "GET /hidden HTTP/1.1\r\nHost: h\r\n\r\n")
        let answer = try client.receiveToEnd()
        #expect(answer.hasPrefix("HTTP/1.1 200 ") && answer.hasSuffix("POST /c 3"))
        #expect(answer.contains("Connection: close\r\n"))
        #expect(server.requests.map(\.path) == ["/c"])
    }

    @Test func takesEqualLengths_RFC9112_6_3() throws {
        try client.send("POST /p HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\nContent-Length: 2\r\n\r\nab")
        #expect(try client.response().body == "POST /p 2")
    }

    @Test(arguments: [false, true]) func answers413_byTheRoutesLimit_withoutExpect(chunked: Bool) throws {
        server.script.limits.withLock { $0["/small"] = 1000 }
        var client = try server.client()
        let body = String(repeating: "x", count: 200_000)
        for path in ["/small", "/large"] {
            if chunked { client = try server.client() }
            let head = "PUT \(path) HTTP/1.1\r\nHost: h\r\n"
            try client.send(
                chunked
                    ? "\(head)Transfer-Encoding: chunked\r\n\r\n30d40\r\n\(body)\r\n0\r\n\r\n"
                    : "\(head)Content-Length: 200000\r\n\r\n\(body)")
            // The response is complete, and the connection continues unless the body was chunked.
            #expect(try client.response().status == (path == "/small" ? 413 : 200))
        }
    }

    @Test func answers400_whenMalformed() throws {
        try client.send("BROKEN\r\n\r\n")
        let response = try client.response()
        #expect(response.status == 400 && response.headers["content-type"] == "application/problem+json")
    }

    @Test func serves1000ConnectionsAtOnce() throws {
        let clients = try [client] + (0..<999).map { _ in try server.client() }
        for client in clients { try client.send("GET /x HTTP/1.1\r\nHost: h\r\n\r\n") }
        for client in clients { #expect(try client.response().status == 200) }
        #expect(server.door.connectionCount == 1000)
    }

    /// libmicrohttpd 0.9.75 takes up to 128 events at a time, and waits for more before it handles 128.
    @Test(arguments: 126...130) func answersAll_whenManyRequestsArriveWhileBusy(count: Int) throws {
        let isBusy = Atomic(false)
        let isReleased = Atomic(false)
        let server = try LiveServer(threads: 1) { request, reply in
            if request.path == "/busy" {
                isBusy.store(true, ordering: .releasing)
                #expect(eventually { isReleased.load(ordering: .acquiring) })
            }
            reply(HTTPResponse(status: 200))
        }
        let clients = try (0..<count).map { _ in try server.client() }
        func requestFromAll() throws {
            for client in clients { try client.send("GET /x HTTP/1.1\r\nHost: h\r\n\r\n") }
        }
        try requestFromAll()
        for client in clients { #expect(try client.response().status == 200) }
        let busy = try server.client()
        try busy.send("GET /busy HTTP/1.1\r\nHost: h\r\n\r\n")
        #expect(eventually { isBusy.load(ordering: .acquiring) })
        try requestFromAll()
        isReleased.store(true, ordering: .releasing)
        for client in clients + [busy] { #expect(try client.response().status == 200) }
    }

    @Test func leavesNoDescriptors_whenClientsComeAndGo() throws {
        let before = openDescriptors()
        for _ in 0..<500 {
            let client = try server.client()
            try client.send("GET /x HTTP/1.1\r\nHost: h\r\n\r\n")
            #expect(try client.response().status == 200)
        }
        // The one of all tests.
        #expect(eventually { server.door.connectionCount == 1 })
        // Other suites run beside this one.
        #expect(eventually { openDescriptors() <= before + 100 })
    }

    @Test func stops_whileBusy() throws {
        let stream = FedStream()
        let server = try LiveServer { request, reply in
            if request.path == "/s" { reply(HTTPResponse(status: 200, body: .stream(stream))) }
        }
        let streaming = try server.client()
        let waiting = try server.client()
        let idle = try server.client()
        try streaming.send("GET /s HTTP/1.1\r\nHost: h\r\n\r\n")
        try waiting.send("GET /w HTTP/1.1\r\nHost: h\r\n\r\n")
        try idle.send("GET /w HTTP/1.1\r\nHost: h\r\n")
        #expect(eventually { stream.hasBegun && server.requests.count == 2 })
        server.stop()
        #expect(stream.ends == 1)
        _ = try streaming.receiveToEnd()
        _ = try waiting.receiveToEnd()
        #expect(try idle.receiveToEnd() == "")
        #expect(server.door.connectionCount == 0)
    }
}
