// SPDX-License-Identifier: Apache-2.0

import Logging
import Synchronization
import Testing

@testable import tonearm

@Suite struct SentenceFirstTests {
    private final class Lines: TextOutputStream, Sendable {
        private let text = Mutex("")
        var all: String { text.withLock { $0 } }
        func write(_ string: String) { text.withLock { $0 += string } }
    }

    @Test func factsStandBehindTheSentence() {
        let lines = Lines()
        let log = Logger(label: "tonearm") { SentenceFirst(StreamLogHandler(label: $0, stream: lines)) }
        log.info("music scanned", metadata: ["read": "2", "found": "16"])
        log.info("ending")
        let written = lines.all.split(separator: "\n").map { $0.split(separator: "] ", maxSplits: 1).last }
        #expect(written == ["music scanned: found=16, read=2", "ending"])
        #expect(lines.all.contains(" info tonearm: [TonearmTests] music scanned"))
    }
}
