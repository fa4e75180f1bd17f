// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Media

@Suite struct ListBaseTests {
    @Test(arguments: [
        ("b.mp3", "lists/old/b.mp3"), ("./b.mp3", "lists/old/b.mp3"), ("../b.mp3", "lists/b.mp3"),
        ("../../b.mp3", "b.mp3"), ("../../../b.mp3", nil), ("x\\y.mp3", "lists/old/x/y.mp3"),
        ("/srv/music/a b.mp3", "file:///srv/music/a%20b.mp3"), ("file:///srv/music/a.mp3", "file:///srv/music/a.mp3"),
        ("C:\\Music\\a.mp3", nil), ("ftp://host/a.mp3", nil), ("http://Host/a b.mp3", "http://Host/a%20b.mp3"),
        ("What: a song.mp3", "lists/old/What: a song.mp3"), ("a?b#c.mp3", "lists/old/a?b#c.mp3"), ("..", "lists"),
    ])
    func referencesOfAFile(reference: String, uri: String?) {
        #expect(ListBase(localList: "lists/old/a.m3u").resolve(reference) == uri)
    }

    @Test(arguments: [
        ("a%20b #1?.mp3", "file:///srv/a%20b/odd/a%2520b%20%231%3F.mp3"), ("../b.mp3", "file:///srv/a%20b/b.mp3"),
        ("x\\y.mp3", "file:///srv/a%20b/odd/x/y.mp3"), ("/a b.mp3", "file:///a%20b.mp3"),
        ("../../../../b.mp3", nil), ("C:\\a.mp3", nil), ("file:///srv/a.mp3", "file:///srv/a.mp3"),
    ])
    func referencesOfAFileNamedByItsURL(reference: String, uri: String?) {
        for list in ["file:///srv/a%20b/odd/o.m3u", "FILE://localhost/srv/a%20b/odd/o.m3u"] {
            #expect(ListBase(localList: list).resolve(reference) == uri)
        }
    }

    @Test(arguments: [
        ("b.mp3", "https://host/x/b.mp3"), ("../b.mp3", "https://host/b.mp3"), ("/b.mp3", "https://host/b.mp3"),
        ("//other/b.mp3", "https://other/b.mp3"), ("http://other/b.mp3", "http://other/b.mp3"),
        ("file:///etc/passwd", nil), ("C:\\a.mp3", nil), ("javascript:alert(1)", nil),
    ])
    func aListFromTheNetworkNamesNoFileHere(reference: String, uri: String?) throws {
        let base = ListBase.web(try #require(WebAddress("https://host/x/list.m3u")))
        #expect(base.resolve(reference) == uri)
    }
}
