// SPDX-License-Identifier: Apache-2.0

import Playback
import Synchronization
import Testing
import Kernel
import KernelTesting

@testable import Media

extension IdleTransport {
    /// The first `count` of 1,000 bytes, or the next.
    fileprivate func bring(_ count: Int, of name: String, isFirst: Bool = true) throws {
        let (_, id, receiver) = try #require(log.withLock { $0.started.first { $0.name == name } })
        if isFirst {
            receiver.head(TransferHead(status: 200, headers: [TransferHeader("Content-Length", "1000")]), of: id)
        }
        _ = [UInt8](repeating: 0x47, count: count).withUnsafeBytes { receiver.body($0, of: id) }
    }
}

@Suite struct HLSStreamTests {
    private let transport = IdleTransport()

    private func stream() -> (HLSStream, HLSContext) {
        let context = HLSContext(
            name: "list.m3u8", origin: ScheduleRig.address, fields: [], transport: transport, limits: NetworkLimits(),
            hls: HLSLimits(), cipher: nil, report: { _ in })
        return (
            HLSStream(
                ScheduleRig.playlist(0...9, isEnded: true), at: HLSReference(ScheduleRig.address, reach: .anywhere),
                context), context
        )
    }

    /// Segments 1 and 2 are being fetched, and 2 is read. A run opened ahead reads 1.
    private func begun() throws -> (HLSStream, HLSRun, HLSContext) {
        let (stream, context) = stream()
        for sequence: Int64 in [1, 2] { _ = try stream.next(sequence) { .current } }
        try transport.bring(16, of: "1.ts")
        let run = HLSRun(stream, from: 1, context, role: .ahead)
        try run.begin()
        return (stream, run, context)
    }

    @Test func aRunAhead_leavesTheCursor_andFinishesItsSegment() throws {
        let (stream, run, _) = try begun()
        #expect(stream.firstSequence == 2)
        _ = try stream.next(5) { .current }
        try transport.bring(84, of: "1.ts", isFirst: false)
        #expect(try run.bytes(at: 0, count: 100).count == 100)
        stream.close()
    }

    @Test func aRunThatHasBecomeCurrent_isNotEndedByOthers() throws {
        let (stream, run, context) = try begun()
        run.becomeCurrent()
        run.abandon()
        #expect(!run.isClosed, "too late for that")
        _ = try stream.next(5) { .current }
        HLSRun(stream, from: 9, context, role: .ahead).abandon()
        try transport.bring(84, of: "1.ts", isFirst: false)
        #expect(try run.bytes(at: 0, count: 100).count == 100)
        stream.close()
    }

    @Test func abandoningARun_keepsSegmentsThatTheReaderMayNeed() throws {
        let (stream, run, _) = try begun()
        run.abandon()
        guard case .segment(_, let source) = try stream.next(1, role: { .current }) else {
            return #expect(Bool(false), "a segment")
        }
        #expect(!source.isClosed)
        stream.close()
    }

    /// An unused run ends with its owner.
    @Test func aRunAhead_endsWithItsOwner() throws {
        weak var left: HLSStream?
        do {
            let (stream, context) = stream()
            left = stream
            _ = try #require(HLSAhead(stream, from: 7, context, MediaExaminer(factories: [])))
        }
        #expect(eventually { left == nil }, "its thread still waits")
    }

    /// Keys may change with each segment, and those of later ones push out the one that is read.
    @Test func close_endsReadsOfKeys_alsoOfThoseNoLongerKept() throws {
        let (stream, _) = stream()
        let ended = Mailbox<MediaError.Code?>()
        let base = HLSBase(ScheduleRig.address, reach: .anywhere)
        for number in 0..<12 {
            NamedThread("key") {
                let part = HLSPart(reference: HLSReference("/\(number).key", from: base))
                let read = Result { () throws(MediaError) in try stream.bytes(of: part, limit: 1_024, as: "a key") }
                ended.post(read.failure?.code)
            }.detach()
        }
        #expect(eventually { transport.log.withLock { $0.started.count { $0.name.hasSuffix(".key") } } == 12 })
        stream.close()
        var codes: [MediaError.Code?] = []
        let deadline = MonotonicTime.now.advanced(bySeconds: 10)
        while codes.count < 12, MonotonicTime.now < deadline { codes += ended.take(until: deadline) }
        #expect(codes == Array(repeating: .cancelled, count: 12))
        let late = #expect(throws: MediaError.self) {
            try stream.bytes(of: HLSPart(reference: HLSReference("/late.key", from: base)), limit: 1_024, as: "a key")
        }
        #expect(late?.code == .cancelled)
    }

    /// Otherwise a run opened ahead could wait forever for a segment that nothing else wants.
    @Test(arguments: [true, false])
    func aDroppedRun_doesNotWaitForItsSegment(isLeftFirst: Bool) throws {
        let (stream, run, _) = try begun()
        let ended = Mailbox<MediaError.Code?>()
        let thread = NamedThread("ahead") {
            let read = Result { () throws(MediaError) in try run.bytes(at: 0, count: 100) }
            ended.post(read.failure?.code)
        }
        if isLeftFirst { _ = try stream.next(5) { .current } }
        run.abandon()
        if !isLeftFirst { _ = try stream.next(5) { .current } }
        #expect(ended.take(until: .now.advanced(bySeconds: 10)) == [.cancelled])
        stream.close()
        thread.join()
    }
}
