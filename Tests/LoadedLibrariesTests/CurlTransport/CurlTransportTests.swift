// SPDX-License-Identifier: Apache-2.0

import Kernel
@testable import Media
import Testing

@testable import LoadedLibraries

@Suite final class CurlTransportTests {
    private let transport = CurlTransport(CurlTransport.Configuration(userAgent: "Tonearm/test"))

    deinit { transport.stop() }

    private func address(_ origin: Origin, _ path: String = "/a") throws -> WebAddress {
        try #require(WebAddress("http://user:secret@127.0.0.1:\(origin.port)\(path)"))
    }

    @Test func aBodyComesWhole_withTheFieldsAskedFor() throws {
        let origin = try Origin(["HTTP/1.1 200 OK\r\nContent-Length: 5\r\nSet-Cookie: a=b\r\n\r\nhello"])
        let log = ReceiverLog()
        let request = TransferRequest(
            address: try address(origin), headers: [TransferHeader("Range", "bytes=0-"), TransferHeader("X-Empty", "")])
        transport.start(request, id: TransferID(1), receiver: log)
        #expect(log.wait() == .some(nil))
        #expect(log.status == 200)
        #expect(log.text == "hello")
        let head = try #require(origin.requests.first).lowercased()
        for field in [
            "range: bytes=0-", "x-empty:", "user-agent: tonearm/test", "accept-encoding: identity",
            "authorization: basic dxnlcjpzzwnyzxq=",
        ] {
            #expect(head.contains(field + "\r\n"), "\(field)")
        }
    }

    @Test func aPausedBodyComesAgainUntouched() throws {
        let origin = try Origin(["HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n0123456789"])
        let log = ReceiverLog(pauses: 3)
        transport.start(TransferRequest(address: try address(origin)), id: TransferID(1), receiver: log)
        for _ in 0..<3 {
            log.waitForPause()
            transport.resume(TransferID(1))
        }
        #expect(log.wait() == .some(nil))
        #expect(log.text == "0123456789")
    }

    @Test func redirectsAreReported_andCookiesDropped() throws {
        let answer = "HTTP/1.1 302 Found\r\nLocation: /b\r\nSet-Cookie: a=b\r\nContent-Length: 0\r\n\r\n"
        let origin = try Origin([answer, answer])
        for number in [1, 2] {
            let log = ReceiverLog()
            transport.start(
                TransferRequest(address: try address(origin)), id: TransferID(UInt64(number)), receiver: log)
            #expect(log.wait() == .some(nil))
            #expect(log.status == 302)
        }
        #expect(origin.requests.count == 2)
        #expect(!origin.requests.joined().lowercased().contains("cookie"))
    }

    @Test(arguments: [
        ("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf", false), ("", false), ("garbage\r\n\r\n", true),
        ("HTTP/1.1 200 OK\r\n" + String(repeating: "A: b\r\n", count: 1_000) + "\r\n", true),
    ])
    func anIncompleteOrInvalidResponseFails(answer: String, isPermanent: Bool) throws {
        let origin = try Origin([answer])
        let log = ReceiverLog()
        transport.start(TransferRequest(address: try address(origin)), id: TransferID(1), receiver: log)
        switch try #require(log.wait()) {
        case .permanent(let message): #expect(isPermanent && !message.contains("secret"))
        case .transient(let message): #expect(!isPermanent && !message.contains("secret"))
        case .privateAddress: Issue.record("it was refused")
        case nil: Issue.record("it succeeded")
        }
    }

    @Test func anUnreachableServerIsTransient() throws {
        let port = try Origin([]).port
        let log = ReceiverLog()
        let nobody = try #require(WebAddress("http://127.0.0.1:\(port)/"))
        // A server that listens and never answers keeps the connection open: cancelling is all that ends it.
        transport.start(TransferRequest(address: nobody), id: TransferID(1), receiver: log)
        transport.cancel(TransferID(1))
        let closed = try #require(WebAddress("http://127.0.0.1:1/"))
        transport.start(TransferRequest(address: closed), id: TransferID(2), receiver: log)
        guard case .transient = try #require(log.wait()) else { return #expect(Bool(false), "another result") }
    }

    /// No resolver is asked: a label has at most 63 characters (RFC 1035, section 2.3.4).
    @Test func anUnknownNameIsNamed() throws {
        let host = String(repeating: "a", count: 64) + ".invalid"
        let address = try #require(WebAddress("http://\(host)/watch"))
        let log = ReceiverLog()
        transport.start(TransferRequest(address: address), id: TransferID(1), receiver: log)
        let failure = try #require(log.wait())
        #expect(failure == .transient("The name \(host) was not found."))
    }

    @Test func timersFireInOrderAndNotEarly() {
        let fired = Monitor<[(Int, MonotonicTime)]>([])
        let start = MonotonicTime.now
        for (number, delay) in [(2, 0.06), (1, 0.02)] {
            transport.call(at: start.advanced(bySeconds: delay)) {
                fired.change { $0.append((number, .now)) }
            }
        }
        let order = fired.wait { $0.count == 2 ? $0 : nil }
        #expect(order.map(\.0) == [1, 2])
        #expect(order[0].1.seconds(since: start) >= 0.02)
        #expect(order[1].1.seconds(since: start) >= 0.06)
    }
}

/// Records the calls of a receiver.
final class ReceiverLog: TransferReceiver {
    private struct State {
        var status = 0
        var zone: NetworkZone?
        var bytes: [UInt8] = []
        var pausesLeft: Int
        var pausesSeen = 0
        var end: TransferFailure??
    }

    private let state: Monitor<State>

    init(pauses: Int = 0) {
        state = Monitor(State(pausesLeft: pauses))
    }

    var status: Int { state.withLock { $0.status } }
    var zone: NetworkZone? { state.withLock { $0.zone } }
    var text: String { state.withLock { String(decoding: $0.bytes, as: UTF8.self) } }

    func wait() -> TransferFailure?? { state.wait { $0.end.map { .some($0) } } }

    func waitForPause() {
        state.wait { state -> Void? in
            guard state.pausesSeen > 0 else { return nil }
            state.pausesSeen -= 1
            return ()
        }
    }

    func head(_ head: TransferHead, of id: TransferID) {
        state.change { ($0.status, $0.zone) = (head.status, head.zone) }
    }

    func body(_ bytes: UnsafeRawBufferPointer, of id: TransferID) -> TransferVerdict {
        state.change { state in
            guard state.pausesLeft == 0 else {
                state.pausesLeft -= 1
                state.pausesSeen += 1
                return .pause
            }
            state.bytes += bytes
            return .taken
        }
    }

    func ended(_ failure: TransferFailure?, of id: TransferID) {
        state.change { $0.end = .some(failure) }
    }
}
