// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Testing

@testable import tonearm

@Suite struct StatusCommandTests {
    private func shown(
        status: String = "playing", message: String = "null", error: String = "null", isLastItem: Bool = false,
        timers: String = ""
    ) throws -> [String] {
        let json = """
            {"status":"\(status)","repeat":"off","position":0,"level":1,"crossfade":0,"playbackRate":1,"pitch":0,\
            "muted":false,"shuffle":false,"consume":\(isLastItem),"stopAfterCurrent":\(isLastItem),"queue":{"length":1},\
            "output":{"available":true,"suspended":false,"description":"Speakers","message":\(message)},"error":\(error)}
            """
        let state = try JSONDecoder().decode(PlayerState.self, from: Data(json.utf8))
        let list = try JSONDecoder().decode(TimerList.self, from: Data("{\"timers\":[\(timers)]}".utf8))
        return state.text(timers: list.timers).split(separator: "\n").map(String.init)
    }

    @Test func missingChoice_isNamedBelowTheOutput() throws {
        let lines = try shown(message: "\"The chosen output usb is not there.\"")
        #expect(lines.suffix(2) == ["output   Speakers", "         The chosen output usb is not there."])
    }

    @Test func pendingEndAndStart_areShown() throws {
        let lines = try shown(isLastItem: true, timers: #"{"id":"t1","type":"start","next":3600000}"#)
        let notes = lines.filter { ["consume", "stops", "start"].contains($0.prefix { $0 != " " }) }
        #expect(notes.prefix(2) == ["consume  on", "stops    after this item"])
        #expect(notes.count == 3 && notes[2].hasPrefix("start    at "))
        #expect(try shown().count == lines.count - 3)
    }

    @Test func error_isTheLastOne_unlessThePlayerFailed() throws {
        let error = "{\"message\":\"a.mp3 cannot be played.\"}"
        #expect(try shown(error: error).last == "last error  a.mp3 cannot be played.")
        #expect(try shown(status: "failed", error: error).last == "error    a.mp3 cannot be played.")
    }
}
