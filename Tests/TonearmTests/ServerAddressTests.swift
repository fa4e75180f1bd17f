// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Testing

@testable import tonearm

@Suite struct ServerAddressTests {
    @Test(arguments: [
        ("http://127.0.0.1:8080", "http://127.0.0.1:8080"), ("localhost:9", "http://localhost:9"),
        ("http://pi/", "http://pi:80"), ("http://[::1]:8080/", "http://[::1]:8080"), ("[::1]", "http://[::1]:8080"),
        ("http://pi:8080/music/#token=abc", "http://pi:8080/music"), ("pi/music", "http://pi:8080/music"),
    ])
    func reads_whenWellFormed(text: String, expected: String) throws {
        #expect(try ServerAddress(text, source: "--server").description == expected)
    }

    @Test(arguments: [
        "", "http://", "http://:80", "https://pi", "http://pi:x", "http://pi:0", "http://a b", "http://u:p@h",
    ])
    func refuses_andNamesTheSource(text: String) {
        let failure = #expect(throws: Failure.self) { try ServerAddress(text, source: "TONEARM_SERVER") }
        #expect(failure?.message.hasPrefix("TONEARM_SERVER: ") == true)
    }

    private static let environment = ["TONEARM_SERVER": "http://b:2", "TONEARM_PORT": "3"]

    @Test(
        arguments: [
            ("http://a:1", environment, "http://a:1"), (nil, environment, "http://b:2"),
            (nil, ["TONEARM_PORT": "3", "TONEARM_HOST": "0.0.0.0"], "http://127.0.0.1:3"),
            (nil, ["TONEARM_HOST": "::"], "http://[::1]:8080"), (nil, [:], "http://127.0.0.1:8080"),
        ] as [(String?, [String: String], String)])
    func flag_overridesServer_overridesAddressOfServe(flag: String?, environment: [String: String], address: String)
        throws
    {
        #expect(try ServerAddress.find(flag, environment).description == address)
    }

    @Test func link_hasItsToken() throws {
        #expect(try ServerAddress.find("http://a:1/#token=abc", [:]).token == "abc")
    }

    @Test func linkInPlaceOfAToken_isRefused() throws {
        let options = try ClientOptions.parse(["--token", "http://a:1/#token=abc"])
        let failure = #expect(throws: Failure.self) { try options.client() }
        #expect(failure?.message == "--token: this is a link, not a token: give it with --server LINK.")
    }
}

@Suite struct MediaArgumentTests {
    @Test(arguments: [
        ("a/b.mp3", "a/b.mp3"), ("/m/a b.mp3", "file:///m/a%20b.mp3"), ("./x.mp3", "file:///home/me/x.mp3"),
        ("../y.mp3", "file:///home/y.mp3"), ("/劉.mp3", "file:///%E5%8A%89.mp3"),
    ])
    func file_isRelativeToTheServer_unlessItIsAPath(text: String, uri: String) {
        #expect(MediaArgument(text, directory: "/home/me").uri == uri)
    }

    @Test func slashAtTheEnd_namesAFolder() {
        #expect(MediaArgument("albums/one/", directory: "/").uri == "albums/one/")
        #expect(MediaArgument("./one/", directory: "/m").uri == "file:///m/one/")
        #expect(MediaArgument("http://radio.example:8000/", directory: "/").uri == "http://radio.example:8000/")
        #expect(MediaArgument("/m/one/", directory: "/").uri == "file:///m/one/")
    }
}
