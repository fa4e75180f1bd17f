// SPDX-License-Identifier: Apache-2.0

import HTTP
import Testing

@Suite struct HTTPQueryTests {
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
}
