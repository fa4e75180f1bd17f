// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import tonearm

@Suite struct SeekTargetTests {
    @Test(arguments: [
        ("12.5", SeekTarget.position(12.5)), ("0", .position(0)), ("1:23", .position(83)),
        ("1:02:03.5", .position(3723.5)),
        ("+10", .offset(10)), ("-10", .offset(-10)), ("-1:00", .offset(-60)), ("50%", .progress(0.5)),
        ("0%", .progress(0)),
        ("100%", .progress(1)),
    ])
    func reads_whenWellFormed(text: String, expected: SeekTarget) {
        #expect(SeekTarget(text) == expected)
    }

    @Test(arguments: [
        "", "x", "+", "-", "%", "101%", "-5%", "1:60", "1:-2", "--5", "1e3", "inf", "nan", "0x10", "1:2:3:4", " 5",
        "1:", ":5",
        "99999999999", "1..2",
    ])
    func refuses_whenMalformed(text: String) {
        #expect(SeekTarget(text) == nil)
    }
}

@Suite struct VolumeTargetTests {
    @Test func sets_whenPercent() {
        #expect(VolumeTarget("80")?.setting == SettingChange("level", .number(0.8)))
        #expect(VolumeTarget("80%")?.setting == SettingChange("level", .number(0.8)))
    }

    @Test func steps_whenSigned() {
        #expect(VolumeTarget("+5")?.setting == SettingChange("levelBy", .number(0.05)))
        #expect(VolumeTarget("-5%")?.setting == SettingChange("levelBy", .number(-0.05)))
    }

    @Test(arguments: ["", "101", "+101", "loud", "+", "1:20", "-"])
    func refuses_whenMalformed(text: String) {
        #expect(VolumeTarget(text) == nil)
    }
}

@Suite struct TimeTextTests {
    @Test func writes_asPlayersDo() {
        #expect(TimeText.text(0) == "0:00")
        #expect(TimeText.text(65.9) == "1:05")
        #expect(TimeText.text(3723) == "1:02:03")
        #expect(TimeText.text(nil) == "--:--")
        #expect(TimeText.text(.infinity) == "--:--")
    }
}
