// SPDX-License-Identifier: Apache-2.0

import Playback
import Synchronization
import Testing

@testable import Media

/// A web file on a server without range support.
@Suite struct SettledDecoderTests {
    private final class CountingFactory: DecoderFactory {
        let openings = Atomic(0)

        func recognises(_ head: [UInt8], of source: any ByteSource) throws(MediaError) -> Bool { true }
        func open(_ source: any ByteSource) throws(MediaError) -> any AudioDecoder {
            openings.add(1, ordering: .relaxed)
            return try ToyFactory().open(source)
        }
    }

    private let half = MediaExaminer.headSize
    private let transport = IdleTransport()
    private let factory = CountingFactory()
    private var selection: MediaExaminer { MediaExaminer(factories: [factory]) }

    /// The first half has arrived, which is enough to open it.
    private func source() -> HTTPSource {
        let source = HTTPSource(DownloadRig.address, fields: [], transport: transport)
        transport.last {
            $0.head(TransferHead(status: 200, headers: [TransferHeader("Content-Length", "\(2 * half)")]), of: $1)
        }
        bring(half)
        return source
    }

    private func bring(_ count: Int) {
        transport.last { receiver, id in
            _ = [UInt8](repeating: 1, count: count).withUnsafeBytes { receiver.body($0, of: id) }
        }
    }

    private func decode(_ decoder: SettledDecoder) throws -> DecodedFrames {
        try withUnsafeTemporaryAllocation(of: Float.self, capacity: 1) { try decoder.decode(into: $0) }
    }

    @Test func isSeekable_onceComplete_andReportsThatOnce() throws {
        let source = source()
        let decoder = try #require(
            SettledDecoder(try selection.open(source), source, head: [1], selection), "it takes one")
        #expect(throws: MediaError.self) { try decoder.seek(to: 3) }
        #expect(try !decode(decoder).mediaChanged && !decoder.media.isSeekable)
        bring(half)
        #expect(try decode(decoder).mediaChanged && decoder.media.isSeekable)
        #expect(try !decode(decoder).mediaChanged)
        #expect(factory.openings.load(ordering: .relaxed) == 1, "not before it is needed")
        #expect(try decoder.seek(to: 3) == 3)
        #expect(try decoder.seek(to: 5) == 5)
        #expect(factory.openings.load(ordering: .relaxed) == 2, "reopened once")
    }

    @Test func isNotUsed_whereNothingWouldChange() throws {
        let source = source()
        let decoder = try selection.open(source)
        var stream = [UInt8](repeating: 0, count: 188 * 3 + 1)
        for index in 0...3 { stream[index * 188] = 0x47 }
        #expect(SettledDecoder(decoder, source, head: stream, selection) == nil, "never seekable")
        bring(half)
        #expect(SettledDecoder(try selection.open(source), source, head: [1], selection) == nil, "seekable already")
    }
}
