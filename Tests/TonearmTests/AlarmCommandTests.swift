// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import tonearm

@Suite struct AlarmCommandTests {
    @Test(arguments: ["07:00", "7:05", "23:59:30"]) func timesOfDay_areTaken(time: String) throws {
        _ = try AddAlarm.parse([time])
    }

    @Test(arguments: ["25:00", "07:60", "7", "07:00:00:00", "", "ab:cd", "7:0"])
    func whatIsNoTimeOfDay_isAWrongCommandLine(time: String) {
        let error = #expect(throws: (any Error).self) { try AddAlarm.parse([time]) }
        #expect(AddAlarm.exitCode(for: error ?? CancellationError()).rawValue == 64)
    }
}
