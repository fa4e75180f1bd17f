// SPDX-License-Identifier: Apache-2.0

import HTTP
import Testing

@Suite struct RequestHeadTests {
    private func end(_ text: String) -> Int? {
        Array(text.utf8).withUnsafeBytes { RequestHead.end(in: $0) }
    }

    @Test func findsTheBlankLine() {
        #expect(end("GET / HTTP/1.1\r\nA: b\r\n\r\nrest") == 24)
        #expect(end("GET / HTTP/1.1\n\nx") == 16)
        #expect(end("GET / HTTP/1.1\r\nA: b\r\n") == nil)
        #expect(end("GET / HTTP/1.1\r\n\r") == nil)
        #expect(end("") == nil)
    }

    @Test func parsesFields_withoutCaseAndSpace() throws {
        let head = try #require(RequestHead("GET /a?b HTTP/1.1\r\nHost:  x \r\nuPgrade: h2c ,WebSocket\r\n\r\n".utf8))
        #expect(head.target == "/a?b")
        #expect(head.headers["HOST"] == "x")
        #expect(head.isWebSocketUpgrade)
    }

    @Test(arguments: ["POST / HTTP/1.1\r\nUpgrade: websocket\r\n\r\n", "GET / HTTP/1.1\r\nUpgrade: websockets\r\n\r\n"])
    func isNoUpgrade_withoutGetAndToken(text: String) throws {
        #expect(try #require(RequestHead(text.utf8)).isWebSocketUpgrade == false)
    }

    @Test(arguments: ["GET /\r\n\r\n", "GET / HTTP/2\r\n\r\n", "GET / HTTP/1.1\r\nnocolon\r\n\r\n", "\r\n\r\n"])
    func isNil_whenMalformed(text: String) { #expect(RequestHead(text.utf8) == nil) }

    @Test func headersKeepOrderAndReplace() {
        var headers = HTTPHeaders([("A", "1"), ("b", "2"), ("a", "3")])
        #expect(headers.values("a") == ["1", "3"])
        headers.set("A", "4")
        #expect(headers.fields.map(\.name) == ["b", "A"])
        #expect(headers["a"] == "4")
        #expect(headers["c"] == nil)
        headers.add("e", "")
        #expect(headers["e"] == "")
    }
}
