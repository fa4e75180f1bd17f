// SPDX-License-Identifier: Apache-2.0

import KernelTesting
import LoadedLibraries
import Playback
import Service
import Testing

@testable import Media

@Suite struct MediaListReaderTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func contents(_ uri: String, limit: Int = 100) throws(MediaError) -> ListContent {
        let roots = MusicRoots([folder.path])
        let reader = MediaListReader(roots: roots, playable: roots, transport: nil, scanner: ExpatScanner())
        return try reader.contents(
            of: MediaLocator(uri: uri), limit: limit, mustBeList: true, patience: nil,
            cancellation: MediaCancellation())
    }

    /// A list that there is no room for may be missing, or its server slow.
    @Test func listsBeyondTheLimit_areNotRead() throws {
        try folder.file("outer.m3u", "a.mp3\nb.mp3\ngone.m3u\n")
        let full = try contents("outer.m3u", limit: 2)
        #expect(full.items.map(\.uri) == ["a.mp3", "b.mp3"] && full.isTruncated && full.refused.isEmpty)
        #expect(try contents("outer.m3u", limit: 3).refused.map(\.code) == [.notFound])
    }

    @Test func aBadListInAList_isARefusedEntry() throws {
        try folder.file("hollow.m3u", "#EXTM3U\n")
        try folder.file("bad.m3u", "gone.m3u\n")
        try folder.file("outer.m3u", "a.mp3\ngone.m3u\nhollow.m3u\nbad.m3u\nb.mp3\n")
        let found = try contents("outer.m3u")
        #expect(found.items.map(\.uri) == ["a.mp3", "b.mp3"] && !found.isTruncated)
        #expect(found.refused.map(\.code) == [.notFound, .empty, .notFound] && found.refusedCount == 3)
    }

    @Test func aListOfBadLists_failsAsTheyDo() throws {
        try folder.file("bad.m3u", "gone.m3u\n")
        try folder.file("outer.m3u", "bad.m3u\n")
        let error = #expect(throws: MediaError.self) { try contents("outer.m3u") }
        #expect(error?.code == .notFound)
    }

    /// A circle is a fault of the whole request, however deep it lies.
    @Test func aListInItself_failsTheOuterList() throws {
        try folder.file("a.m3u", "a.mp3\nb.m3u\n")
        try folder.file("b.m3u", "b.mp3\na.m3u\n")
        let error = #expect(throws: MediaError.self) { try contents("a.m3u") }
        #expect(error?.code == .unsupported)
    }
}
