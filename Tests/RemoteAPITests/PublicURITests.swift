// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import RemoteAPI

@Suite struct PublicURITests {
    @Test(arguments: [
        ("http://user:pass@h/a.mp3", "http://***@h/a.mp3"),
        ("https://user@h:81?x=1", "https://***@h:81?x=1"),
        ("http://a@b@h/x@y", "http://***@h/x@y"),
        ("http://h/a?id=7&token=t&n=1#x", "http://h/a?id=7&token=***&n=1#x"),
        (
            "http://h/a?X-Amz-Signature=abc&accessToken=d&%74oken=e",
            "http://h/a?X-Amz-Signature=***&accessToken=***&%74oken=***"
        ),
        ("http://h/a?monkey=1&keyboard=2&page", "http://h/a?monkey=1&keyboard=2&page"),
        ("Artist/a@b?token=1.mp3", "Artist/a@b?token=1.mp3"),
        ("file:///m/a.mp3", "file:///m/a.mp3"),
    ])
    func secretsAreHidden(uri: String, shown: String) {
        #expect(PublicURI.text(uri) == shown)
    }
}
