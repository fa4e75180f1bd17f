// SPDX-License-Identifier: Apache-2.0

import Playback
import Synchronization
import Testing
import Threading

@testable import Media

/// Brings what the test says.
private final class ScriptedTransport: HTTPTransport {
    private let transfers = Mutex<[(name: String, id: TransferID, receiver: any TransferReceiver)]>([])

    var now: MonotonicTime { MonotonicTime(nanoseconds: 0) }

    func start(_ request: TransferRequest, id: TransferID, receiver: any TransferReceiver) {
        transfers.withLock { $0.append((request.address.name, id, receiver)) }
    }
    func resume(_ id: TransferID) {}
    func cancel(_ id: TransferID) {}
    func call(at time: MonotonicTime, _ body: @escaping @Sendable () -> Void) {}

    /// The first `count` of 1,000 bytes.
    func bring(_ count: Int, of name: String) throws {
        let (_, id, receiver) = try #require(transfers.withLock { $0.first { $0.name == name } })
        receiver.head(TransferHead(status: 200, headers: [TransferHeader("Content-Length", "1000")]), of: id)
        _ = [UInt8](repeating: 0x47, count: count).withUnsafeBytes { receiver.body($0, of: id) }
    }
}

@Suite struct HLSStreamTests {
    /// A run that was opened ahead may wait for a piece that nothing else wants: it would wait for ever.
    @Test(arguments: [true, false])
    func aDroppedRun_doesNotWaitForItsPiece(isLeftFirst: Bool) throws {
        let transport = ScriptedTransport()
        let context = HLSContext(
            name: "list.m3u8", origin: ScheduleRig.address, fields: [], transport: transport, limits: NetworkLimits(),
            hls: HLSLimits(), cipher: nil, report: { _ in })
        let stream = HLSStream(ScheduleRig.playlist(0...9, isEnded: true), at: ScheduleRig.address, context)
        for sequence: Int64 in [1, 2] { _ = try stream.next(sequence) { .current } }
        try transport.bring(16, of: "1.ts")
        let run = HLSRun(stream, from: 1, context, role: .ahead)
        try run.begin()
        let ended = Mailbox<MediaError.Code?>()
        let thread = NamedThread("ahead") {
            do throws(MediaError) {
                _ = try run.bytes(at: 0, count: 100)
                ended.post(nil)
            } catch {
                ended.post(error.code)
            }
        }
        if isLeftFirst { _ = try stream.next(5) { .current } }
        run.abandon()
        if !isLeftFirst { _ = try stream.next(5) { .current } }
        #expect(ended.take(until: .now.advanced(bySeconds: 10)) == [.cancelled])
        stream.close()
        thread.join()
    }
}
