// SPDX-License-Identifier: Apache-2.0

import KernelTesting
import LoadedLibraries
import Playback
import Testing

@testable import Media

@Suite struct MediaListReaderTests {
    /// A list that there is no room for may be missing, or its server slow.
    @Test func listsBeyondTheLimit_areNotRead() throws {
        let folder = try TemporaryFolder()
        try folder.file("outer.m3u", "a.mp3\nb.mp3\ngone.m3u\n")
        let roots = MusicRoots([folder.path])
        let reader = MediaListReader(roots: roots, playable: roots, transport: nil, scanner: ExpatScanner())
        func items(limit: Int) throws -> (uris: [String], isTruncated: Bool) {
            let found = try reader.contents(
                of: MediaLocator(uri: "outer.m3u"), limit: limit, mustBeList: true, patience: nil,
                cancellation: MediaCancellation())
            return (found.items.map(\.uri), found.isTruncated)
        }
        let full = try items(limit: 2)
        #expect(full.uris == ["a.mp3", "b.mp3"] && full.isTruncated)
        #expect(throws: MediaError.self) { try items(limit: 3) }
    }
}
