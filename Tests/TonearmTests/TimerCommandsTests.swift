// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Testing

@testable import tonearm

@Suite struct AlarmCommandTests {
    @Test(arguments: ["07:00", "7:05", "23:59:30"]) func timesOfDay_areAccepted(time: String) throws {
        _ = try AddAlarm.parse([time])
    }

    @Test(arguments: ["25:00", "07:60", "7", "07:00:00:00", "", "ab:cd", "7:0"])
    func invalidTimeOfDay_isAUsageError(time: String) {
        for (command, arguments) in [
            (AddAlarm.self, [time]), (ChangeAlarm.self, ["t1", "--time", time]),
        ] as [(any ParsableCommand.Type, [String])] {
            let error = #expect(throws: (any Error).self) { _ = try command.parse(arguments) }
            #expect(command.exitCode(for: error ?? CancellationError()).rawValue == 64)
        }
    }
}

@Suite struct SleepCommandTests {
    @Test(
        arguments: [
            ("30m", 1_800), ("90s", 90), ("1h30m", 5_400), ("1h", 3_600), ("1.5h", 5_400), ("2m30s", 150),
            ("1:30:00", 5_400), ("1:30", 90), ("30", nil), ("", nil), ("soon", nil), ("30m1h", nil), ("1h1h", nil),
            ("m", nil), ("1:30m", nil), ("-5m", nil),
        ] as [(String, Double?)])
    func times_areParsed(text: String, seconds: Double?) {
        #expect(TimeText.duration(text) == seconds)
    }

    @Test(arguments: [("30", "30m"), ("0m", "not a time to wait"), ("soon", "is not a time")])
    func invalidTime_isExplained(text: String, words: String) {
        let error = #expect(throws: (any Error).self) { try SleepCommand.parse([text]) }
        #expect(SleepCommand.message(for: error ?? CancellationError()).contains(words))
    }
}
