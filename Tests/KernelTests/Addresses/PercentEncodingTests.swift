// SPDX-License-Identifier: Apache-2.0

import Kernel
import Testing

@Suite struct PercentEncodingTests {
    @Test func decodes_UTF8() {
        #expect(PercentEncoding.decode("/%E5%8A%89%20a+b") == "/劉 a+b")
        #expect(PercentEncoding.decode("a+b", plusIsSpace: true) == "a b")
    }

    @Test(arguments: ["%", "%4", "%zz", "%ff", "%00", "%c0%af"])
    func isNil_whenNotText(text: String) { #expect(PercentEncoding.decode(text) == nil) }

    @Test func encodes_allButLettersDigitsAndMarks() {
        #expect(PercentEncoding.encode("a b/ä#%~") == "a%20b%2F%C3%A4%23%25~")
        #expect(PercentEncoding.encode("a b/c", keeping: "/") == "a%20b/c")
        #expect(PercentEncoding.encode([0x41, 0xFF, 0x00]) { $0 == 0x41 } == "A%FF%00")
    }

    @Test(arguments: [
        ("/players/%6d%61in", "/players/main"), ("/a%2Eb%2d%5F%7e%39", "/a.b-_~9"),
        ("/a%2Fb%20%c3%a4", "/a%2Fb%20%c3%a4"),
        ("/%256d", "/%256d"), ("/%6", "/%6"), ("/%", "/%"), ("/%%6d", "/%m"), ("/%zz%41", "/%zzA"),
    ])
    func decodesUnreservedCharacters_RFC3986_6_2_2_2(text: String, plain: String) {
        #expect(PercentEncoding.decodeUnreserved(text[...]) == plain)
    }

    @Test func bytes_needNotBeText() {
        #expect(PercentEncoding.decodedBytes("%ff%00a".utf8) == [0xFF, 0, 0x61])
        #expect(PercentEncoding.decodedBytes("%f".utf8) == nil)
    }
}
