// SPDX-License-Identifier: Apache-2.0

import Glibc
import Kernel
import Media
import Playback
import Synchronization
import Testing

@testable import Mpg123Decoding

/// A sparse file: some audio at the beginning, then zeros.
private final class HollowSource: ByteSource {
    let name = "hollow.mp3"
    let size: ByteCount?
    let isSeekable = true
    let isLocal = true
    private let head: [UInt8]
    private let total = Atomic<Int>(0)

    init(_ head: [UInt8], size: Int64) {
        self.head = head
        self.size = ByteCount(size)
    }

    var bytesRead: Int { total.load(ordering: .relaxed) }

    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(MediaError) -> Int {
        let count = Int(clamping: max(0, min(Int64(buffer.count), (size?.bytes ?? 0) - offset)))
        // Not `initializeMemory`: a debug build sets each byte by a call.
        if let start = buffer.baseAddress { memset(start, 0, buffer.count) }
        if offset < Int64(head.count) {
            buffer.copyBytes(from: head[Int(offset)...].prefix(count))
        }
        total.add(count, ordering: .relaxed)
        return count
    }

    func close() {}
}

@Suite struct HollowFileTests {
    private let fixtures: Fixtures

    init() throws { fixtures = try Fixtures() }

    private func hollow(_ size: Int64) throws -> HollowSource {
        let file = try fixtures.lame("short.mp3", "-b", "128", "-t", source: try fixtures.wave("short.wav", seconds: 5))
        return HollowSource(try fixtures.bytes(at: file), size: size)
    }

    @Test func lengthIsUnknown() throws {
        #expect(try Mpg123Decoder(try hollow(8 << 40)).media.duration == nil)
    }

    @Test func holesDoNotCount() throws {
        let file = try fixtures.lame(
            "long.mp3", "-b", "128", "-t", source: try fixtures.wave("minute.wav", seconds: 180))
        let bytes = try fixtures.bytes(at: file)
        let media = try Mpg123Decoder(HollowSource(bytes, size: Int64(bytes.count * 2))).media
        let seconds = try #require(media.durationInSeconds)
        #expect(abs(seconds - 180) < 20)
    }

    /// The search for a frame ends after some MB, with an error that says so.
    @Test func searchesHaveAnEnd() throws {
        for seeks in [false, true] {
            let source = try hollow(8 << 40)
            let decoder = try Mpg123Decoder(source)
            let error = #expect(throws: MediaError.self) {
                if seeks { _ = try decoder.seek(to: 1 << 40) }
                while try !decoder.frames(10_000).ended {}
            }
            #expect(error?.code == .unreadable)
            #expect(source.bytesRead < 3 * Int(SourceReader.mostWithoutFrame))
        }
    }
}
