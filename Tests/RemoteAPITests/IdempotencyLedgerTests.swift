// SPDX-License-Identifier: Apache-2.0

import HTTP
import Testing
import Kernel

@testable import RemoteAPI

@Suite struct IdempotencyLedgerTests {
    private typealias Ledger = IdempotencyLedger<Int>
    private let start = MonotonicTime(nanoseconds: 1_000_000_000)

    private func answer(_ status: Int = 200, bytes: Int = 10) -> HTTPResponse {
        HTTPResponse(status: status, body: .bytes([UInt8](repeating: 1, count: bytes)))
    }

    /// The result of `start` as text.
    private func begin(_ ledger: inout Ledger, _ key: String, _ fingerprint: Int = 1, at seconds: Double = 0) -> String
    {
        switch ledger.start(key, fingerprint: fingerprint, now: start.advanced(bySeconds: seconds), waiter: 7) {
        case .run: "run"
        case .repeated(let answer): "repeated \(answer.status)"
        case .waiting: "waiting"
        case .mismatch: "mismatch"
        case .full: "full"
        }
    }

    @Test func runsOnce_andRepeatsTheAnswer() {
        var ledger = Ledger()
        #expect(begin(&ledger, "k") == "run")
        #expect(begin(&ledger, "k") == "waiting")
        #expect(begin(&ledger, "k", 2) == "mismatch")
        #expect(ledger.finish("k", answer(201), now: start) == [7])
        #expect(begin(&ledger, "k") == "repeated 201")
        #expect(begin(&ledger, "k", 2) == "mismatch")
        #expect(begin(&ledger, "other") == "run")
    }

    @Test(arguments: [(500, "run"), (503, "run"), (429, "run"), (412, "repeated 412")])
    func runsAgain_onlyIfTheServerFailed(_ status: Int, _ expected: String) {
        var ledger = Ledger()
        _ = begin(&ledger, "k")
        _ = ledger.finish("k", answer(status), now: start)
        #expect(begin(&ledger, "k") == expected)
    }

    @Test func forgetsAfterTenMinutes() {
        var ledger = Ledger()
        _ = begin(&ledger, "k")
        _ = ledger.finish("k", answer(), now: start)
        #expect(begin(&ledger, "k", at: Ledger.seconds - 1) == "repeated 200")
        #expect(begin(&ledger, "k", at: Ledger.seconds) == "run")
    }

    @Test func dropsTheOldestReplies_butNoPendingRequest() {
        var ledger = Ledger()
        _ = begin(&ledger, "under way")
        for number in 0..<1_000 {
            #expect(begin(&ledger, "k\(number)") == "run")
            _ = ledger.finish("k\(number)", answer(), now: start)
        }
        #expect(begin(&ledger, "under way") == "waiting")
        #expect(begin(&ledger, "k999") == "repeated 200")
        #expect(begin(&ledger, "k0") == "run")
    }

    @Test func isFull_whenAllRequestsArePending() {
        var ledger = Ledger()
        for number in 0..<Ledger.maximumKeys { #expect(begin(&ledger, "k\(number)") == "run") }
        #expect(begin(&ledger, "more") == "full")
        _ = ledger.finish("k5", answer(), now: start)
        #expect(begin(&ledger, "more") == "run")
    }

    @Test func bytesAreBounded() {
        var ledger = Ledger()
        for number in 0..<10 {
            _ = begin(&ledger, "k\(number)")
            _ = ledger.finish("k\(number)", answer(bytes: Ledger.maximumBytes / 4), now: start)
        }
        #expect(begin(&ledger, "k9") == "repeated 200")
        #expect(begin(&ledger, "k0") == "run")
        _ = begin(&ledger, "huge")
        _ = ledger.finish("huge", answer(bytes: 2 * Ledger.maximumBytes), now: start)
        #expect(begin(&ledger, "huge") == "run")
    }
}
