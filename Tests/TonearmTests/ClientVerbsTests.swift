// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import tonearm

@Suite struct ClientVerbsTests {
    /// Noon of this machine's day.
    private var noon: Double {
        Calendar.current.date(bySettingHour: 12, minute: 0, second: 0, of: .now)?.timeIntervalSince1970 ?? 0
    }

    @Test(
        arguments: [
            ("13:30", 5_400), ("12:00:05", 5), ("90s", 90), ("1h30m", 5_400), ("soon", nil), ("24:00", nil),
            ("7:60", nil),
            ("90", nil), ("0s", nil), ("1:2:3:4", nil),
        ] as [(String, Double?)])
    func aMomentIsATimeOfDayOrADuration(text: String, seconds: Double?) {
        #expect(Moment(text, now: noon).map { Double($0.milliseconds) / 1_000 - noon } == seconds)
    }

    /// A day of 23 to 25 hours.
    @Test func aTimeOfDayThatIsOver_isTomorrows() throws {
        let ahead = Double(try #require(Moment("12:00", now: noon)).milliseconds) / 1_000 - noon
        #expect((82_800...90_000).contains(ahead))
    }

    @Test func anAlarmsEdit_hasOnlyWhatIsGiven() throws {
        let edit = try ChangeAlarm.parse([
            "t1", "--time", "7:05", "--days", "once", "--snooze", "300", "--volume", "30",
        ])
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        let json = String(decoding: try encoder.encode(edit.body), as: UTF8.self)
        #expect(json == #"{"days":[],"level":0.3,"snooze":300,"time":"07:05"}"#)
    }

    @Test func aRefusedSetting_namesTheCommandThatWasMeant() {
        func refusal(_ arguments: [String]) -> String {
            do {
                _ = try SetCommand.parse(arguments)
                return ""
            } catch { return SetCommand.message(for: error) }
        }
        #expect(refusal(["volume", "50"]).hasSuffix(" In percent: tonearm volume 50"))
        #expect(refusal(["speed", "2"]) == "speed is not a setting; playbackRate is the speed.")
        #expect(refusal(["sped", "2"]) == "sped is not a setting; tonearm help set lists them.")
    }

    @Test func whatMakesNoSense_isRefused() {
        for arguments in [["5"], ["off", "6"], ["5", "soon"]] {
            #expect(throws: (any Error).self) { try LoopCommand.parse(arguments) }
        }
        #expect(throws: (any Error).self) { try ChangeAlarm.parse(["t1"]) }
        #expect(throws: (any Error).self) { try ChangeAlarm.parse(["t1", "--volume", "101"]) }
        #expect(throws: (any Error).self) { try PlayCommand.parse(["a.mp3", "--at", "90s"]) }
        #expect(throws: (any Error).self) { try PrimeCommand.parse(["--seconds", "11"]) }
    }
}
