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

    @Test func listsAreSearched_withoutCaseAndSpace() {
        let headers = HTTPHeaders([("uPgrade", " h2c ,WebSocket"), ("Other", "websockets")])
        #expect(headers.hasToken("websocket", in: "Upgrade") && !headers.hasToken("websocket", in: "Other"))
    }

    @Test(
        arguments: [
            ("GET / HTTP/1.1", nil), ("GET / HTTP/1.0", nil), ("GET / HTTP/2.0", 505), ("PRI * HTTP/2.0", 505),
            ("GET / HTTP/0.9", 505), ("GET / HTTP/1.1x", 400), ("GET / HTTP/11.1", 400), ("GET / http/1.1", 400),
            ("GET / HTTP/x.1", 400), ("GET / HTTP/2", 400), ("GET /", 400), ("G T / HTTP/2.0", 400),
        ] as [(String, Int?)])
    func otherVersionsAreToldFromNonsense(line: String, status: Int?) {
        let refusal = Array("\(line)\r\n\r\n".utf8).withUnsafeBytes { RequestHead.refusal(ofLineIn: $0) }
        #expect(refusal?.status == status)
    }

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

    @Test(arguments: [
        "GET /\0 HTTP/1.1\r\n\r\n", "GET / HTTP/1.1\r\nA: \u{B}\r\n\r\n", "GET / HTTP/1.1\r\nA: b\rc\r\n\r\n",
    ])
    func findsControlCharacters_RFC9110_5_5(head: String) {
        #expect(Array(head.utf8).withUnsafeBytes { RequestHead.hasControlCharacter($0) })
    }

    @Test func takesTabsAndLineEnds() {
        let head = Array("GET / HTTP/1.1\r\nA:\tb\nC: \u{E9}\r\n\r\n".utf8)
        #expect(!head.withUnsafeBytes { RequestHead.hasControlCharacter($0) })
    }

    @Test(arguments: [
        ("http://a.example:81/p", "a.example:81", "/p"), ("HTTPS://a?x=1", "a", "/"), ("http:///p", "", "/p"),
        ("http://u@a/", "u@a", "/"),
    ])
    func absoluteForm_hasAnAuthority_RFC9112_3_2_2(target: String, authority: String, path: String) {
        let target = RequestTarget(target)
        #expect(target.authority == authority && target.path == path && target.isKnownForm)
        let headers = HTTPHeaders([("Host", "localhost"), ("A", "b")]).addressed(to: target)
        #expect(headers["Host"] == authority && headers["A"] == "b")
        // One without a Host field stays what it is: malformed.
        #expect(HTTPHeaders([("A", "b")]).addressed(to: target)["Host"] == nil)
    }

    @Test(arguments: ["p", "ftp://a/b", "a:80", ""]) func otherForms_areUnknown(target: String) {
        #expect(!RequestTarget(target).isKnownForm || target.isEmpty)
        #expect(RequestTarget("/a://b").authority == nil && RequestTarget("*").isKnownForm)
    }
}
