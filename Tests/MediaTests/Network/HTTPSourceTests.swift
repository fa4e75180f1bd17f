// SPDX-License-Identifier: Apache-2.0

import Playback
import Synchronization
import Testing
import Kernel
import KernelTesting

@testable import Media

extension WebAddress {
    /// The last path segment.
    var file: String { url.split(separator: "/").last.map(String.init) ?? "" }
}

/// Transfers nothing; logs the calls.
final class IdleTransport: HTTPTransport {
    struct Log {
        var started: [(name: String, id: TransferID, receiver: any TransferReceiver)] = []
        var cancelled: [TransferID] = []
    }

    let log = Mutex(Log())
    var now: MonotonicTime { .now }

    func start(_ request: TransferRequest, id: TransferID, receiver: any TransferReceiver) {
        log.withLock { $0.started.append((request.address.file, id, receiver)) }
    }
    func resume(_ id: TransferID) {}
    func cancel(_ id: TransferID) { log.withLock { $0.cancelled.append(id) } }
    func call(at time: MonotonicTime, _ body: @escaping @Sendable () -> Void) {}

    /// Calls `body` with the newest transfer.
    func last(_ body: (any TransferReceiver, TransferID) -> Void) {
        if let (_, id, receiver) = log.withLock({ $0.started.last }) { body(receiver, id) }
    }

    /// There was one transfer, and it was cancelled.
    var hasCancelledItsOnlyTransfer: Bool {
        log.withLock { $0.started.map(\.id) == $0.cancelled && $0.started.count == 1 }
    }
}

@Suite struct HTTPSourceTests {
    private let transport = IdleTransport()

    private func source() -> HTTPSource { HTTPSource(DownloadRig.address, fields: [], transport: transport) }

    /// The error of a read that blocks while `body` is called.
    private func blockedRead(_ source: HTTPSource, _ body: () -> Void) -> MediaError? {
        let ended = Mailbox<MediaError?>()
        NamedThread("reader") {
            let read = Result { () throws(MediaError) in try source.bytes(at: 0, count: 10) }
            ended.post(read.failure)
        }.detach()
        body()
        return ended.answer()
    }

    @Test func close_endsABlockedRead_andTheTransfer() {
        let source = source()
        #expect(blockedRead(source) { source.close() }?.code == .cancelled)
        #expect(transport.hasCancelledItsOnlyTransfer)
    }

    @Test func interrupt_endsABlockedRead_andNothingElse() throws {
        let source = source()
        #expect(blockedRead(source) { source.interrupt(true) }?.code == .cancelled)
        source.interrupt(false)
        #expect(transport.log.withLock { $0.cancelled.isEmpty })
        transport.last { receiver, id in
            receiver.head(TransferHead(status: 200, headers: [TransferHeader("Content-Length", "3")]), of: id)
            _ = Array("abc".utf8).withUnsafeBytes { receiver.body($0, of: id) }
        }
        #expect(try source.bytes(at: 0, count: 3) == Array("abc".utf8))
    }

    @Test func aLateRead_namesTheTimeAllowed_inWholeSeconds() {
        let source = source()
        let error = #expect(throws: MediaError.self) {
            try source.read(until: .now, within: 19.99, MediaCancellation()) { () throws(MediaError) -> Void in
                throw MediaError(.cancelled, "closed")
            }
        }
        #expect(error?.message.hasSuffix(" did not arrive within 20 s.") == true)
    }

    @Test func theTransferEndsWithItsSource() {
        do { _ = source() }
        #expect(transport.hasCancelledItsOnlyTransfer)
    }
}
