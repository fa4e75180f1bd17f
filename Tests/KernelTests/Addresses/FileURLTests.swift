// SPDX-License-Identifier: Apache-2.0

import Kernel
import Testing

@Suite struct FileURLTests {
    @Test func encodesAnyPath_RFC8089() {
        #expect(FileURL.text("/a b/ä#%.jpg") == "file:///a%20b/%C3%A4%23%25.jpg")
        #expect(FileURL.path("file:///a%20b/%C3%A4%23%25.jpg") == "/a b/ä#%.jpg")
    }

    @Test(arguments: [("file:/a", "/a"), ("file:///a", "/a"), ("file://localhost/a", "/a")])
    func acceptsAllSpellings(url: String, path: String) { #expect(FileURL.path(url) == path) }

    @Test(arguments: ["file://elsewhere/a", "file:a", "file:///%zz"])
    func isNil_whenNotALocalPath(url: String) { #expect(FileURL.path(url) == nil) }
}
