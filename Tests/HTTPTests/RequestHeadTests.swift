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

    @Test func tokensAreFound_ignoringCaseAndSpace() {
        let headers = HTTPHeaders([("uPgrade", " h2c ,WebSocket"), ("Other", "websockets")])
        #expect(headers.hasToken("websocket", in: "Upgrade") && !headers.hasToken("websocket", in: "Other"))
    }

    @Test(
        arguments: [
            ("GET / HTTP/1.1", nil), ("GET / HTTP/1.0", nil), ("GET / HTTP/2.0", 505), ("PRI * HTTP/2.0", 505),
            ("GET / HTTP/0.9", 505), ("GET / HTTP/1.1x", 400), ("GET / HTTP/11.1", 400), ("GET / http/1.1", 400),
            ("GET / HTTP/x.1", 400), ("GET / HTTP/2", 400), ("GET /", 400), ("G T / HTTP/2.0", 400),
        ] as [(String, Int?)])
    func otherVersionsDifferFromMalformedLines(line: String, status: Int?) {
        let refusal = Array("\(line)\r\n\r\n".utf8).withUnsafeBytes { RequestHead.refusal(ofLineIn: $0) }
        #expect(refusal?.status == status)
    }

    @Test func headersKeepTheirOrder_andAreReplaced() {
        var headers = HTTPHeaders([("A", "1"), ("b", "2"), ("a", "3")])
        #expect(headers.values("a") == ["1", "3"])
        headers.set("A", "4")
        #expect(headers.fields.map(\.name) == ["b", "A"])
        #expect(headers["a"] == "4")
        #expect(headers["c"] == nil)
        headers.add("e", "")
        #expect(headers["e"] == "")
    }

    @Test(arguments: [
        "GET /\0 HTTP/1.1\r\n\r\n", "GET / HTTP/1.1\r\nA: \u{B}\r\n\r\n", "GET / HTTP/1.1\r\nA: b\rc\r\n\r\n",
    ])
    func findsControlCharacters_RFC9110_5_5(head: String) {
        #expect(Array(head.utf8).withUnsafeBytes { RequestHead.hasControlCharacter($0) })
    }

    /// Found by an attack: the field and those behind it were not seen.
    @Test(arguments: [":\r\n", ": x\r\n", "A: b\r\n:x\r\n", "A: b\n:\n"])
    func findsFieldsWithoutAName_RFC9112_5(fields: String) {
        let head = Array("GET / HTTP/1.1\r\n\(fields)Host: h\r\n\r\n".utf8)
        #expect(head.withUnsafeBytes { RequestHead.hasNamelessField($0) })
        #expect(!Array("GET /: HTTP/1.1\r\nA:: b:\r\n\r\n".utf8).withUnsafeBytes { RequestHead.hasNamelessField($0) })
    }

    @Test func acceptsTabsAndLineEnds() {
        let head = Array("GET / HTTP/1.1\r\nA:\tb\nC: \u{E9}\r\n\r\n".utf8)
        #expect(!head.withUnsafeBytes { RequestHead.hasControlCharacter($0) })
    }
}
