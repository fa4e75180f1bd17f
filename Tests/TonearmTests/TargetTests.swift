// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import tonearm

@Suite struct PositionTests {
    @Test(arguments: [
        ("12.5", Target("position", 12.5)), ("0", Target("position", 0)), ("1:23", Target("position", 83)),
        ("1:02:03.5", Target("position", 3723.5)), ("+10", Target("offset", 10)), ("-10", Target("offset", -10)),
        ("-1:00", Target("offset", -60)),
        ("50%", Target("progress", 0.5)), ("0%", Target("progress", 0)), ("100%", Target("progress", 1)),
    ])
    func reads_whenWellFormed(text: String, expected: Target) {
        #expect(Target.position(text) == expected)
    }

    @Test(arguments: [
        "", "x", "+", "-", "%", "101%", "-5%", "1:60", "1:-2", "--5", "1e3", "inf", "nan", "0x10", "1:2:3:4", " 5",
        "1:", ":5", "99999999999", "1..2",
    ])
    func refuses_whenMalformed(text: String) {
        #expect(Target.position(text) == nil)
    }
}

@Suite struct VolumeTests {
    @Test(arguments: [
        ("80", Target("level", 0.8)), ("80%", Target("level", 0.8)), ("+5", Target("levelBy", 0.05)),
        ("-5%", Target("levelBy", -0.05)),
    ])
    func sets_orStepsWhenSigned(text: String, expected: Target) {
        #expect(Target.volume(text) == expected)
    }

    @Test(arguments: ["", "101", "+101", "loud", "+", "1:20", "-"])
    func refuses_whenMalformed(text: String) {
        #expect(Target.volume(text) == nil)
    }
}

@Suite struct TimeTextTests {
    @Test(
        arguments: [(0, "0:00"), (65.9, "1:05"), (3723, "1:02:03"), (nil, "--:--"), (.infinity, "--:--")]
            as [(Double?, String)])
    func writes_asPlayersDo(seconds: Double?, text: String) {
        #expect(TimeText.text(seconds) == text)
    }

    /// A moment after a timer was set, its time has not become a second less.
    @Test(
        arguments: [
            (1_799.9, "30:00"), (1_799.4, "29:59"), (59.6, "1:00"), (86_399.4, "23:59:59"), (86_399.6, "1 d 0:00:00"),
            (366_815, "4 d 5:53:35"), (nil, "--:--"),
        ] as [(Double?, String)])
    func remainingTime_isRounded_andHasDays(seconds: Double?, text: String) {
        #expect(TimeText.remaining(seconds) == text)
    }
}
