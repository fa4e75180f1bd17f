// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Media

@Suite struct WebAddressTests {
    @Test(arguments: [
        ("http://h/The New Look.mp3", "http://h/The%20New%20Look.mp3"),
        ("http://h/劉若英.mp3", "http://h/%E5%8A%89%E8%8B%A5%E8%8B%B1.mp3"),
        ("http://h/%20.mp3", "http://h/%20.mp3"),
        ("http://h/100%.mp3", "http://h/100%25.mp3"),
        ("http://h/%zz", "http://h/%25zz"),
        ("HTTP://H/a?b=c d#part", "http://H/a?b=c%20d"),
        ("https://h", "https://h/"),
        ("https://h?x", "https://h/?x"),
        ("http://u ser:p@h:81/a", "http://u%20ser:p@h:81/a"),
        ("http://[::1]:8000/a", "http://[::1]:8000/a"),
    ])
    func charactersNotAllowedInAURLAreEncodedOnce(text: String, url: String) {
        #expect(WebAddress(text)?.url == url)
    }

    @Test(arguments: [
        "a.mp3", "file:///a", "http:/a", "http://", "http://:80/", "http://h:0/", "http://h:70000/", "http://h:x/",
        "http://h/a\r\nX: y", "ftp://h/", "", "http://a b/", "http://a<b>/", "http://a\"b/", "http://a|b/",
        "http://[::1 ]/",
    ])
    func otherTextIsRefused(text: String) {
        #expect(WebAddress(text) == nil)
    }

    @Test(
        arguments: [
            ("http://user:secret@h/a/The%20Song.mp3?token=t#f", "h/The Song.mp3"),
            ("http://user:secret@h/?token=t", "h"), ("https://h:443?token=t", "h"),
            ("http://h:8000/;", "h:8000/;"), ("https://h:80/stream", "h:80/stream"),
            ("http://[::1]:8000/live/", "[::1]:8000/live"), ("http://h/a%0Ab", "h/a%0Ab"), ("http://h/%ZZ", "h/%ZZ"),
        ])
    func theName_holdsServerAndFile_andNoSecret(url: String, name: String) {
        #expect(WebAddress(url)?.name == name)
    }

    @Test(
        arguments: [
            ("/x/y.mp3", "http://u:p@h:81/x/y.mp3"), ("y.mp3", "http://u:p@h:81/a/y.mp3"),
            ("../y.mp3?q", "http://u:p@h:81/y.mp3?q"), ("?q", "http://u:p@h:81/a/b.mp3?q"),
            ("./c/../d", "http://u:p@h:81/a/d"), ("//other/z", "http://other/z"),
            ("https://other/z?q=../", "https://other/z?q=../"), ("a:b", nil), ("http://", nil),
        ] as [(String, String?)])
    func aRedirectIsResolved(location: String, url: String?) {
        #expect(WebAddress("http://u:p@h:81/a/b.mp3?old")?.redirected(to: location)?.url == url)
    }
}
