// SPDX-License-Identifier: Apache-2.0

import Foundation
import KernelTesting
import Playback
import Testing

@testable import Media

@Suite struct MusicRootsTests {
    let folder: TemporaryFolder
    let outside: TemporaryFolder
    let roots: MusicRoots

    init() throws {
        folder = try TemporaryFolder()
        outside = try TemporaryFolder()
        roots = MusicRoots([folder.path])
        try folder.directory("album/disc 1")
        try folder.file("a.mp3")
        try folder.file("album/b.mp3", "b")
        try folder.file("album/disc 1/劉若英 🎵.mp3", "c")
        try folder.file("100%.mp3", "d")
        try folder.file("a%20b.mp3", "e")
        try folder.file("a b.mp3", "f")
        try folder.file("empty.mp3", "")
        try outside.file("secret.mp3", "secret")
    }

    private func content(_ uri: String) throws -> String {
        let source = try roots.openFile(uri)
        return String(decoding: try source.bytes(at: 0, count: 100), as: UTF8.self)
    }

    private func refusal(_ uri: String, in roots: MusicRoots? = nil) -> MediaError? {
        do { _ = try (roots ?? self.roots).openFile(uri) } catch { return error }
        return nil
    }

    /// 月亮代表我的心 in GB18030.
    @Test func lyricsOfAnOlderEncoding_areRead() throws {
        let text: [UInt8] = [0xD4, 0xC2, 0xC1, 0xC1, 0xB4, 0xFA, 0xB1, 0xED, 0xCE, 0xD2, 0xB5, 0xC4, 0xD0, 0xC4]
        try Data(Array("[00:01.00]".utf8) + text).write(to: URL(fileURLWithPath: folder.path + "/a.lrc"))
        #expect(try roots.lyrics(beside: "a.mp3") == "[00:01.00]月亮代表我的心")
    }

    @Test func lyricsWithACapitalExtension_areFound_afterOthers() throws {
        try folder.file("album/b.LRC", "capital")
        #expect(try roots.lyrics(beside: "album/b.mp3") == "capital")
        try folder.file("album/b.lrc", "small")
        #expect(try roots.lyrics(beside: "album/b.mp3") == "small")
    }

    @Test func opens_relativePathsAndFileURLs() throws {
        #expect(try content("album/b.mp3") == "b")
        #expect(try content("./album//b.mp3") == "b")
        #expect(try content("album/disc 1/劉若英 🎵.mp3") == "c")
        #expect(try content("100%.mp3") == "d")
        #expect(try content("file://\(folder.path)/album/b.mp3") == "b")
        #expect(try content("FILE://localhost\(folder.path)/a%20b.mp3") == "f")
        #expect(try content("file:\(folder.path)/album/disc%201/%E5%8A%89%E8%8B%A5%E8%8B%B1%20🎵.mp3") == "c")
    }

    @Test func percentEscapes_decodedOnce_onlyWhenNothingHasTheName() throws {
        #expect(try content("a%20b.mp3") == "e")
        #expect(try content("album/disc%201/劉若英%20🎵.mp3") == "c")
        #expect(try content("file://\(folder.path)/a%2520b.mp3") == "e")
    }

    @Test(arguments: [
        "../x", "album/../../etc/passwd", "..", "album/..", "/etc/passwd", "%2e%2e/%2e%2e/etc/passwd",
        "file:///etc/passwd", "file:///../etc/passwd", "a.mp3\u{0}", "%00", "album/%2e%2e/a.mp3",
    ])
    func forbidden_whenOutside(uri: String) {
        #expect(refusal(uri)?.code == .forbidden, "\(uri): \(String(describing: refusal(uri)))")
    }

    @Test(arguments: [
        ("file:a.mp3", "./file:a.mp3"), ("https:a.mp3", "./https:a.mp3"), ("HTTP:/a.mp3", "./HTTP:/a.mp3"),
        ("sealed:a.mp3", "./sealed:a.mp3"), ("a: b.mp3", "a: b.mp3"), ("sealed", "sealed"), ("x/http:a", "x/http:a"),
    ])
    func listedName_isNeverAnAddress(name: String, uri: String) {
        #expect(FolderWalk.uri(name.split(separator: "/").map { Array($0.utf8) }) == uri)
    }

    @Test(arguments: ["a.mp3/", "a.mp3//", "a.mp3/.", "./album/b.mp3/", "a%20b.mp3/"])
    func notFound_whenTheNameOfAFileEndsLikeAFolders(uri: String) {
        #expect(refusal(uri)?.code == .notFound)
        #expect(refusal("file://\(folder.path)/\(uri)")?.code == .notFound)
        #expect(refusal("album/")?.code == .unreadable)
    }

    @Test func missing_isNamedByItsPath_inTheMusicFolder() {
        let message = "There is no “Album/b.mp3” in the music folders."
        for uri in ["Album/b.mp3", "file://\(folder.path)/Album/b.mp3"] { #expect(refusal(uri)?.message == message) }
        #expect(refusal("no\nfolder/b.mp3")?.message == "There is no “no folder/b.mp3” in the music folders.")
        let long = Array(repeating: String(repeating: "a", count: 99), count: 9).joined(separator: "/")
        #expect(refusal(long)?.message == "There is no “\(long.prefix(300))…” in the music folders.")
    }

    @Test func notOpened_whenEscapedSlashOrSiblingOfTheRoot() throws {
        #expect(refusal("..%2f..%2fetc%2fpasswd")?.code == .notFound)
        #expect(refusal("file://\(folder.path)/album%2Fb.mp3")?.code == .unsupported)
        #expect(refusal("file://\(folder.path)/%2e%2e/x")?.code == .forbidden)
        #expect(refusal("file://\(folder.path)x/a.mp3")?.code == .forbidden)
        #expect(refusal("file://\(outside.path)/secret.mp3")?.code == .forbidden)
    }

    @Test(arguments: [true, false])
    func links_followedOnlyInside(withOpenat2: Bool) throws {
        try folder.link("inside.mp3", to: "album/b.mp3")
        try folder.link("album/up.mp3", to: "../a.mp3")
        try folder.link("absolute.mp3", to: "\(folder.path)/album/b.mp3")
        try folder.link("folder", to: "album")
        try folder.link("out.mp3", to: "\(outside.path)/secret.mp3")
        try folder.link("outfolder", to: outside.path)
        try folder.link("relative-out.mp3", to: "../\(outside.path.split(separator: "/").last!)/secret.mp3")
        try folder.link("root", to: "/")
        try folder.link("circle", to: "circle")
        try folder.link("self", to: "/proc/self/fd/0")
        #expect(failure("inside.mp3", withOpenat2) == nil)
        #expect(failure("album/up.mp3", withOpenat2) == nil)
        #expect(failure("absolute.mp3", withOpenat2) == nil)
        #expect(failure("folder/b.mp3", withOpenat2) == nil)
        #expect(failure("folder/disc 1/劉若英 🎵.mp3", withOpenat2) == nil)
        for name in ["out.mp3", "outfolder/secret.mp3", "relative-out.mp3", "root/etc/passwd", "self"] {
            #expect(failure(name, withOpenat2) == .outside, "\(name)")
        }
        #expect(failure("circle", withOpenat2) == .system(ELOOP))
        #expect(failure("missing", withOpenat2) == .system(ENOENT))
        #expect(failure("a.mp3/x", withOpenat2) == .system(ENOTDIR))
    }

    /// nil if the path was opened.
    private func failure(_ path: String, _ withOpenat2: Bool) -> ConfinedOpen.Failure? {
        let root = OwnedDescriptor(open(folder.path, O_RDONLY | O_DIRECTORY))
        do throws(ConfinedOpen.Failure) {
            _ = try ConfinedOpen.open(
                path.split(separator: "/").map { Array($0.utf8) }, beneath: root, rootPath: Array(folder.path.utf8),
                flags: O_RDONLY, mayUseOpenat2: withOpenat2)
            return nil
        } catch {
            return error
        }
    }

    @Test func specialFiles_refusedWithoutBlocking() throws {
        #expect(mkfifo("\(folder.path)/pipe.mp3", 0o600) == 0)
        let pipe = refusal("pipe.mp3")
        #expect(pipe?.code == .unreadable && pipe?.message.contains("pipe") == true)
        let directory = refusal("album")
        #expect(directory?.code == .unreadable && directory?.message.contains("folder") == true)
        #expect(refusal("empty.mp3")?.code == .empty)
    }

    @Test func clearErrors_perCause() throws {
        #expect(refusal("missing.mp3")?.code == .notFound)
        #expect(refusal("a.mp3/b")?.code == .notFound)
        #expect(refusal(String(repeating: "x", count: 300))?.code == .notFound)
        #expect(refusal(String(repeating: "x/", count: 5_000))?.code == .notFound)
        #expect(refusal("http://example.org/a.mp3")?.code == .unsupported)
        #expect(refusal("HTTPS://example.org/a.mp3")?.code == .unsupported)
        #expect(refusal("ftp://example.org/a.mp3")?.code == .unsupported)
        #expect(refusal("file://elsewhere/a.mp3")?.code == .unsupported)
        #expect(refusal("a.mp3", in: MusicRoots([]))?.message.contains("--music") == true)
        #expect(MusicRoots.mediaError(.system(EACCES), path: try MusicPath(uri: "a.mp3")).code == .forbidden)
        let gone = refusal("a.mp3", in: MusicRoots([folder.path + "/gone"]))
        #expect(gone?.code == .notFound && gone?.message.contains("is not there") == true)
    }

    @Test func severalRoots_triedInOrder() throws {
        let second = try TemporaryFolder()
        try second.file("a.mp3", "second a")
        try second.file("only.mp3", "only")
        let both = MusicRoots([folder.path, second.path])
        #expect(try both.openFile("a.mp3").size == 7)
        #expect(try both.openFile("only.mp3").size == 4)
        #expect(try both.openFile("file://\(second.path)/a.mp3").size == 8)
        let oneGone = MusicRoots([folder.path + "/gone", second.path])
        #expect(try oneGone.openFile("only.mp3").size == 4)
    }
}
