// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import tonearm

@Suite struct SleepCommandTests {
    @Test(
        arguments: [
            ("30m", 1_800), ("90s", 90), ("1h30m", 5_400), ("1h", 3_600), ("1.5h", 5_400), ("2m30s", 150),
            ("1:30:00", 5_400), ("1:30", 90), ("30", nil), ("", nil), ("soon", nil), ("30m1h", nil), ("1h1h", nil),
            ("m", nil), ("1:30m", nil), ("-5m", nil),
        ] as [(String, Double?)])
    func timesAreRead(text: String, seconds: Double?) {
        #expect(SleepCommand.seconds(text) == seconds)
    }

    @Test(arguments: [("30", "30m"), ("0m", "not a time to wait"), ("soon", "is not a time")])
    func whatIsNone_isRefusedInASentence(text: String, words: String) {
        let error = #expect(throws: (any Error).self) { try SleepCommand.parse([text]) }
        #expect(SleepCommand.message(for: error ?? CancellationError()).contains(words))
    }
}
