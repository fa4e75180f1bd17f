// SPDX-License-Identifier: Apache-2.0

import Kernel
import Testing

@testable import tonearm

@Suite struct PartsEndingTests {
    @Test func hangingPart_delaysNoOther() {
        let (hangs, ended) = (Mailbox<Void>(), Mailbox<String>())
        var parts = Shutdown()
        parts.begin { _ = hangs.take(until: nil) }
        let atOnce = parts.wait(until: .now.advanced(bySeconds: 0.01))
        parts.begin { ended.post("player") }
        #expect(ended.take(until: .now.advanced(bySeconds: 60)) == ["player"])
        let meanwhile = parts.wait(until: .now)
        hangs.post(())
        let atLast = parts.wait(until: .now.advanced(bySeconds: 60))
        #expect(!atOnce && !meanwhile && atLast)
    }

    @Test func withoutThreads_allEndInTurn() {
        let ended = Mailbox<Int>()
        var parts = Shutdown()
        NamedThread.$isRefused.withValue(true) {
            for number in 1...3 { parts.begin { ended.post(number) } }
        }
        let haveEnded = parts.wait(until: .now)
        #expect(ended.take(until: .now) == [1, 2, 3] && haveEnded)
    }
}

@Suite struct EndInTimeTests {
    @Test func givesUp_whenSomethingHangs() {
        let given = Mailbox<Bool>()
        let limit = EndInTime(seconds: 0.05) { given.post(true) }
        #expect(given.take(until: .now.advanced(bySeconds: 60)) == [true])
        limit.ended()
    }

    @Test func doesNothing_whenAllEnded() {
        let given = Mailbox<Bool>()
        let limit = EndInTime(seconds: 600) { given.post(true) }
        limit.ended()
        #expect(given.close().isEmpty)
    }
}
