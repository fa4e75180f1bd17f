// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import Testing

@testable import tonearm

@Suite struct ClientVerbsTests {
    /// Noon today, in this machine's time zone.
    private var noon: Double {
        Calendar.current.date(bySettingHour: 12, minute: 0, second: 0, of: .now)?.timeIntervalSince1970 ?? 0
    }

    @Test(
        arguments: [
            ("13:30", 5_400), ("12:00:05", 5), ("90s", 90), ("1h30m", 5_400), ("soon", nil), ("24:00", nil),
            ("7:60", nil), ("90", nil), ("0s", nil), ("1:2:3:4", nil),
        ] as [(String, Double?)])
    func moment_isATimeOfDayOrADuration(text: String, seconds: Double?) {
        #expect(Moment(text, now: noon).map { Double($0.milliseconds) / 1_000 - noon } == seconds)
    }

    /// A day of 23 to 25 hours.
    @Test func pastTimeOfDay_isTomorrow() throws {
        let ahead = Double(try #require(Moment("12:00", now: noon)).milliseconds) / 1_000 - noon
        #expect((82_800...90_000).contains(ahead))
    }

    @Test func changeOfAnAlarm_hasOnlyTheGivenMembers() throws {
        let edit = try ChangeAlarm.parse([
            "t1", "--time", "7:05", "--days", "once", "--snooze", "300", "--volume", "30",
        ])
        #expect(try sortedJSON(edit.body) == #"{"days":[],"level":0.3,"snooze":300,"time":"07:05"}"#)
    }

    @Test(arguments: ["Foo", "a b", "../player", ""]) func textThatIsNoID_isNamed(text: String) {
        let sentence = "\(text) is not an id: ids have lower-case letters and digits only."
        #expect(throws: Failure(sentence)) { try TimerState.path(text) }
        #expect(throws: Failure(sentence)) { try RendersCommand.Job.path(text) }
    }

    @Test func refusedSetting_namesTheIntendedCommand() {
        func refusal(_ arguments: [String]) -> String {
            let error = #expect(throws: (any Error).self) { try SetCommand.parse(arguments) }
            return error.map { SetCommand.message(for: $0) } ?? ""
        }
        #expect(refusal(["volume", "50"]).hasSuffix(" In percent: tonearm volume 50"))
        #expect(refusal(["speed", "2"]) == "speed is not a setting; playbackRate is the speed.")
        #expect(refusal(["sped", "2"]) == "sped is not a setting; tonearm help set lists them.")
    }

    @Test func contradictoryArguments_areRefused() {
        let commands: [(any ParsableCommand.Type, [String])] = [
            (LoopCommand.self, ["5"]), (LoopCommand.self, ["off", "6"]), (LoopCommand.self, ["5", "soon"]),
            (ChangeAlarm.self, ["t1"]), (ChangeAlarm.self, ["t1", "--volume", "101"]),
            (PlayCommand.self, ["a.mp3", "--at", "90s"]), (PrimeCommand.self, ["--seconds", "11"]),
            (SleepCommand.self, ["off", "--fade", "3"]), (SleepCommand.self, ["--fade", "3"]),
        ]
        for (command, arguments) in commands {
            #expect(throws: (any Error).self) { _ = try command.parse(arguments) }
        }
    }
}
