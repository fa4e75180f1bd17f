// SPDX-License-Identifier: Apache-2.0

import Testing
import Kernel

@testable import Playback

@Suite struct InterruptionHoldersTests {
    /// `+` begins, `-` ends with leave to resume, `!` ends without it; c: a client, s: the sound server.
    private func run(_ script: String, _ holders: inout InterruptionHolders) -> [Bool?] {
        script.split(separator: " ").map { step in
            let source: InterruptionSource = step.last == "c" ? .client : .soundServer
            guard step.first != "+" else { return holders.begin(source, now: MonotonicTime(nanoseconds: 0)) }
            return holders.end(source, shouldResume: step.first == "-")
        }
    }

    /// For a start: whether it is the first. For an end: whether the music may resume; nil unless it is the last.
    @Test(
        arguments: [
            ("+c -c", [true, true]),
            ("+c +c +s -c -c -s", [true, false, false, nil, nil, true]),
            ("+s +s -s", [true, false, true]),
            ("-c", [nil]),
            ("+c -c -c !c", [true, true, nil, nil]),
            ("+c +s !c -s", [true, false, nil, false]),
            ("+c !c +c -c", [true, false, true, true]),
        ] as [(String, [Bool?])])
    func answers(script: String, expected: [Bool?]) {
        var holders = InterruptionHolders()
        #expect(run(script, &holders) == expected)
        #expect(!holders.isActive)
    }

    @Test func endsAllOfOneSource() {
        var holders = InterruptionHolders()
        _ = run("+c +c +c", &holders)
        #expect(holders.endAll(.client, shouldResume: true) == true && !holders.isActive)
        #expect(holders.endAll(.client, shouldResume: true) == nil)
    }
}
