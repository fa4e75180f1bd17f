// SPDX-License-Identifier: Apache-2.0

import HTTP
import Testing

@Suite struct RequestTargetTests {
    @Test func parsesQueries_inOrder() {
        let query = RequestTarget("/p%20q?a=1&b=x%3Dy&a=%zz&c&&d=").query
        #expect(query.map(\.name) == ["a", "b", "a", "c", "d"])
        #expect(query.map(\.value) == ["1", "x=y", "%zz", "", ""])
    }

    @Test(arguments: [
        ("/a?b", "/a"), ("http://host:80/a/b?x=1", "/a/b"), ("http://host", "/"), ("http://host?x", "/"), ("*", "*"),
        ("/a//b%2F?", "/a//b%2F"), ("/x?u=http://y/z", "/x"),
    ])
    func findsThePath_RFC9112_3_2(target: String, path: String) { #expect(RequestTarget(target).path == path) }

    @Test(arguments: [
        ("http://a.example:81/p", "a.example:81", "/p"), ("HTTPS://a?x=1", "a", "/"), ("http:///p", "", "/p"),
        ("http://u@a/", "u@a", "/"),
    ])
    func absoluteForm_hasAnAuthority_RFC9112_3_2_2(target: String, authority: String, path: String) {
        let target = RequestTarget(target)
        #expect(target.authority == authority && target.path == path && target.isKnownForm)
        let headers = HTTPHeaders([("Host", "localhost"), ("A", "b")]).addressed(to: target)
        #expect(headers["Host"] == authority && headers["A"] == "b")
        // A request without Host stays malformed.
        #expect(HTTPHeaders([("A", "b")]).addressed(to: target)["Host"] == nil)
    }

    @Test(arguments: ["p", "ftp://a/b", "a:80", ""]) func otherForms_areUnknown(target: String) {
        #expect(!RequestTarget(target).isKnownForm || target.isEmpty)
        #expect(RequestTarget("/a://b").authority == nil && RequestTarget("*").isKnownForm)
    }
}
