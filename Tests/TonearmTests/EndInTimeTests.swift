// SPDX-License-Identifier: Apache-2.0

import Testing
import Kernel

@testable import tonearm

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
