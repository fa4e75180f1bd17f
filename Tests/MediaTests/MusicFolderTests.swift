// SPDX-License-Identifier: Apache-2.0

import Foundation
import Kernel
import KernelTesting
import Playback
import Testing

@testable import Media

@Suite struct MusicFolderTests {
    let folder: TemporaryFolder
    let roots: MusicRoots

    init() throws {
        folder = try TemporaryFolder()
        roots = MusicRoots([folder.path])
    }

    private func names(_ path: String = "") throws -> [String] {
        try MusicFolder.list(path, in: roots).entries.map(\.name)
    }

    @Test func lists_foldersThenAudioInNaturalOrder() throws {
        try folder.directory("Zappa")
        try folder.directory("abba")
        for name in ["10 x.mp3", "2 b.MP3", "2 A.mp2", "cover.jpg", ".hidden.mp3", "mp3", "劉.mpga"] {
            try folder.file(name)
        }
        #expect(try names() == ["abba", "Zappa", "2 A.mp2", "2 b.MP3", "10 x.mp3", "劉.mpga"])
        let entry = try MusicFolder.list("", in: roots).entries[3]
        #expect(entry.kind == .file && entry.size == 7 && entry.path == "2 b.MP3")
    }

    @Test(arguments: ["a.m3u", "a.M3U8", "a.pls", "a.xspf", "a.asx"])
    func playlistFile_isAListAmongTheFiles(name: String) throws {
        try folder.file(name)
        try folder.file("b.mp3")
        try folder.file("c.txt")
        let entries = try MusicFolder.list("", in: roots).entries
        #expect(entries.map(\.name) == [name, "b.mp3"])
        #expect(entries.map(\.kind) == [.list, .file])
        // Adding a folder ignores its lists, whose entries are in the folders as well.
        #expect(try FolderWalk.collect("", in: roots).uris == ["b.mp3"])
    }

    /// Strings compare by Unicode equivalence, file names by bytes.
    @Test func namesThatOnlyUnicodeFindsEqual_areBothListed() throws {
        for name in ["\u{E9}", "e\u{301}"] {
            try folder.directory(name)
            try folder.file("\(name).mp3")
        }
        for name in ["K.mp3", "\u{212A}.mp3"] { try folder.file(name) }
        #expect(try names().count == 6)
        #expect(try Set(names().map { PathKey($0) }).count == 6)
    }

    @Test func linksInsideAreShown_othersAndSpecialFilesAreNot() throws {
        try folder.directory("album")
        try folder.file("album/a.mp3")
        try folder.link("good.mp3", to: "album/a.mp3")
        try folder.link("goodfolder", to: "album")
        try folder.link("bad.mp3", to: "/etc/passwd")
        try folder.link("badfolder", to: "/etc")
        try folder.link("nowhere.mp3", to: "missing")
        #expect(mkfifo("\(folder.path)/pipe.mp3", 0o600) == 0)
        #expect(try names() == ["album", "goodfolder", "good.mp3"])
        #expect(try names("goodfolder") == ["a.mp3"])
    }

    @Test func nameThatIsNotUTF8_isListedEscapedAndOpens() throws {
        let raw = Array(folder.path.utf8CString.dropLast()) + [0x2F, 0x61, -1, 0x25, 0x2E, 0x6D, 0x70, 0x33, 0]
        let descriptor = open(raw, O_CREAT | O_WRONLY, 0o600)
        #expect(descriptor >= 0)
        #expect(write(descriptor, "x", 1) == 1)
        close(descriptor)
        let entry = try #require(try MusicFolder.list("", in: roots).entries.first)
        #expect(entry.name == "a%FF%25.mp3")
        #expect(try roots.openFile(entry.path).size == 1)
    }

    @Test func nameThatLooksLikeAURL_opensByItsURI() throws {
        try folder.file("file:a.mp3")
        let entry = try #require(try MusicFolder.list("", in: roots).entries.first)
        #expect(try roots.openFile(entry.path).size == 7)
    }

    @Test func truncated_atTheLimit() throws {
        for number in 0..<30 { try folder.file("\(number).mp3") }
        let listing = try MusicFolder.list("", in: roots, limit: 20)
        #expect(listing.entries.count == 20 && listing.isTruncated)
        #expect(try !MusicFolder.list("", in: roots, limit: 30).isTruncated)
        let walk = try FolderWalk.collect("", in: roots, limit: 7)
        #expect(walk.uris.count == 7 && walk.isTruncated)
    }

    /// A library may have a hundred times more folders than the queue has room for.
    @Test func foldersBeyondTheLimit_areNotRead() throws {
        for name in ["a", "b", "c"] {
            try folder.directory(name)
            try folder.file("\(name)/1.mp3")
        }
        let watch = inotify_init1(Int32(IN_NONBLOCK))
        defer { close(watch) }
        #expect(inotify_add_watch(watch, "\(folder.path)/c", UInt32(IN_OPEN)) >= 0)
        let walk = try FolderWalk.collect("", in: roots, limit: 1)
        #expect(walk.uris == ["a/1.mp3"] && walk.isTruncated)
        var events = [UInt8](repeating: 0, count: 4_096)
        let count = read(watch, &events, events.count)
        #expect(count < 0, "it was opened")
    }

    @Test func severalRoots_areMerged() throws {
        let second = try TemporaryFolder()
        try folder.directory("album")
        try second.directory("album")
        try folder.file("album/1.mp3", "long content")
        try second.file("album/1.mp3", "short")
        try second.file("album/2.mp3")
        let both = MusicRoots([folder.path, second.path])
        #expect(try MusicFolder.list("", in: both).entries.map(\.name) == ["album"])
        let album = try MusicFolder.list("album", in: both).entries
        #expect(album.map(\.name) == ["1.mp3", "2.mp3"])
        #expect(album[0].size == 12)
        #expect(try FolderWalk.collect("album", in: both).uris == ["album/1.mp3", "album/2.mp3"])
    }

    @Test func collect_goesDownOnceEach_sorted() throws {
        try folder.directory("b/deep/er")
        try folder.directory("a")
        try folder.file("b/2.mp3")
        try folder.file("b/10.mp3")
        try folder.file("b/deep/er/x.mp3")
        try folder.file("a/1.mp3")
        try folder.file("z.mp3")
        try folder.file("z.txt")
        try folder.link("b/circle", to: "..")
        let walk = try FolderWalk.collect("", in: roots)
        #expect(walk.uris == ["a/1.mp3", "b/deep/er/x.mp3", "b/2.mp3", "b/10.mp3", "z.mp3"])
        #expect(!walk.isTruncated)
        #expect(try FolderWalk.collect("b/deep", in: roots).uris == ["b/deep/er/x.mp3"])
    }

    @Test(arguments: [
        ("missing", MediaError.Code.notFound), ("..", .forbidden), ("a.mp3", .unsupported), ("/", .forbidden),
    ])
    func refused_whenNoFolder(path: String, code: MediaError.Code) throws {
        try folder.file("a.mp3")
        let error = #expect(throws: MediaError.self) { try MusicFolder.list(path, in: roots) }
        #expect(error?.code == code)
    }
}
