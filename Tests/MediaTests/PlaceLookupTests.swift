// SPDX-License-Identifier: Apache-2.0

import Foundation
import KernelTesting
import Playback
import Testing

@testable import Media

@Suite struct PlaceLookupTests {
    let first: TemporaryFolder
    let second: TemporaryFolder
    let outside: TemporaryFolder
    var lookup: PlaceLookup

    init() throws {
        first = try TemporaryFolder()
        second = try TemporaryFolder()
        outside = try TemporaryFolder()
        try first.directory("album/inner")
        try first.file("top.mp3")
        try first.file("album/a.mp3")
        try first.file("album/empty.mp3", "")
        try first.link("album/inside.mp3", to: "a.mp3")
        try first.link("album/outside.mp3", to: "\(outside.path)/secret.mp3")
        try first.link("way-out", to: outside.path)
        try second.directory("album")
        try second.file("album/b c.mp3")
        try outside.file("secret.mp3")
        lookup = PlaceLookup(roots: MusicRoots([first.path, second.path]))
    }

    private mutating func found(_ uri: String) -> String {
        do {
            return try lookup.isFolder(uri) ? "folder" : "file"
        } catch {
            return error.code.rawValue
        }
    }

    /// Only files of the first root that are in the kernel's cache; anything else needs the lookup.
    @Test mutating func theKernelKnowsAFile_afterALookup() {
        for uri in ["top.mp3", "album/a.mp3", "album/inside.mp3", "album/b c.mp3", "album", "album/outside.mp3"] {
            _ = found(uri)
        }
        let roots = MusicRoots([first.path, second.path])
        for uri in ["top.mp3", "album/a.mp3", "album/inside.mp3"] {
            #expect(roots.knowsFile(uri), "\(uri)")
        }
        for uri in [
            "album/b c.mp3", "album", "album/outside.mp3", "way-out/secret.mp3", "../top.mp3", "missing.mp3",
            "top.mp3/",
            "\(first.path)/top.mp3", "file://\(first.path)/top.mp3", "",
        ] {
            #expect(!roots.knowsFile(uri), "\(uri)")
        }
        #expect(!MusicRoots([]).knowsFile("top.mp3") && !MusicRoots(["/nowhere"]).knowsFile("top.mp3"))
    }

    @Test mutating func filesAndFolders_inAnyRoot_inAnyOrder() {
        for _ in 0..<2 {
            for uri in [
                "top.mp3", "album/a.mp3", "album/empty.mp3", "album/inside.mp3", "album/b c.mp3", "album/b%20c.mp3",
            ] {
                #expect(found(uri) == "file", "\(uri)")
            }
            for uri in ["album", "album/", "album/inner", "./album", "", "."] {
                #expect(found(uri) == "folder", "\(uri)")
            }
            #expect(found("file://\(first.path)/album/a.mp3") == "file")
            #expect(found("file://\(second.path)/album") == "folder")
        }
    }

    @Test mutating func missingPaths_areNotFound() {
        for uri in ["none.mp3", "album/none.mp3", "none/a.mp3", "album/a.mp3/x", "album/a.mp3/", "Data: none.mp3"] {
            #expect(found(uri) == "not-found", "\(uri)")
        }
        // A missing path that looks like a URL is reported as one.
        for uri in ["data:audio/mpeg", "JavaScript:alert(1)%3B"] { #expect(found(uri) == "unsupported", "\(uri)") }
    }

    @Test mutating func pathsOutside_areForbidden() {
        let uris = [
            "../secret.mp3", "album/../../x", "/etc/passwd", "file:///etc/passwd", "album/outside.mp3",
            "way-out/secret.mp3",
        ]
        for uri in uris { #expect(found(uri) == "forbidden", "\(uri)") }
        #expect(found("gopher://x") == "unsupported")
    }

    @Test mutating func aPipe_isUnreadable() {
        mkfifo("\(first.path)/album/pipe.mp3", 0o600)
        #expect(found("album/pipe.mp3") == "unreadable")
    }

    @Test(arguments: [
        ("a/b.mp3", true), ("..a/b..", true), ("...", true), ("", false), ("/a", false), ("..", false), ("a/..", false),
        ("a/../b", false),
        ("a:b", false), (String(repeating: "x", count: 256), false), (String(repeating: "x/", count: 2_100), false),
    ])
    func plainPath_hasNothingToResolveOrRefuse(uri: String, isPlain: Bool) {
        #expect(MusicPath.isPlain(uri) == isPlain)
    }
}
