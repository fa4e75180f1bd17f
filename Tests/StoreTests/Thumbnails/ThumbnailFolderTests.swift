// SPDX-License-Identifier: Apache-2.0

import Foundation
import Logging
import Media
import Service
import Store
import Testing

/// SPEC row 219: frames of videos are stored and can be listed.
@Suite struct ThumbnailFolderTests {
    private let fixture: StateFixture
    private let stamp = FileStamp(size: 1, modified: 2, changed: 3, inode: 4)
    private let frame = VideoThumbnail(time: 12.96, jpeg: [0xFF, 0xD8, 0, 0, 7])

    init() throws { fixture = try StateFixture() }

    private func folder(most: Int = 1_000) -> ThumbnailFolder {
        ThumbnailFolder(fixture.directory + "/thumbnails", most: most, logger: Logger(label: "test"))
    }

    @Test func frame_isKeptForAnotherRun() {
        #expect(folder().list().isEmpty)
        folder().keep(frame, of: "a.mp4", stamp, at: 13, edge: 64)
        #expect(folder().frame("a.mp4", stamp, at: 13, edge: 64) == frame)
        let kept = KeptThumbnail(uri: "a.mp4", seconds: 13, edge: 64, time: 12.96, bytes: 5)
        #expect(folder().list() == [kept])
    }

    @Test func listing_readsTheHeadsOnly() throws {
        let large = VideoThumbnail(time: 1, jpeg: [UInt8](repeating: 7, count: 1 << 20))
        folder().keep(large, of: "a.mp4", stamp, at: 1, edge: 64)
        #expect(folder().list().map(\.bytes) == [1 << 20])
        #expect(folder().frame("a.mp4", stamp, at: 1, edge: 64) == large)
        let before = try bytesRead()
        _ = folder().list()
        #expect(try bytesRead() - before < 64 << 10)
    }

    /// The bytes that this thread has read (proc_pid_io(5)).
    private func bytesRead() throws -> Int {
        let counters = try String(contentsOfFile: "/proc/thread-self/io", encoding: .utf8)
        return try #require(counters.split(separator: "\n").first.flatMap { Int($0.dropFirst("rchar: ".count)) })
    }

    @Test func addressThatIsTooLong_isNotKept() {
        let uri = String(repeating: "a", count: 10_000)
        folder().keep(frame, of: uri, stamp, at: 1, edge: 64)
        #expect(folder().frame(uri, stamp, at: 1, edge: 64) == nil && folder().list().isEmpty)
    }

    @Test func frame_isKeyedByTimeSizeAndVersionOfTheFile() {
        folder().keep(frame, of: "a.mp4", stamp, at: 13, edge: 64)
        var changed = stamp
        changed.modified = 5
        #expect(folder().frame("a.mp4", changed, at: 13, edge: 64) == nil)
        #expect(folder().frame("a.mp4", stamp, at: 13.1, edge: 64) == nil)
        #expect(folder().frame("a.mp4", stamp, at: 13, edge: 65) == nil)
        #expect(folder().frame("b.mp4", stamp, at: 13, edge: 64) == nil)
        folder().keep(frame, of: "a.mp4", changed, at: 13, edge: 64)
        #expect(folder().list().count == 1)
    }

    @Test func oldestFrames_areRemovedFirst() {
        for number in 0..<5 { folder(most: 3).keep(frame, of: "a.mp4", stamp, at: Double(number), edge: 64) }
        #expect(Set(folder().list().map(\.seconds)) == [2, 3, 4])
    }
}
