// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Testing

@testable import tonearm

@Suite struct ServerChecksTests {
    @Test(arguments: [true, false])
    func otherSoundServer_isAdvised_onlyIfItWorks(worksHere: Bool) throws {
        let server = ServerClient(address: try .find("http://127.0.0.1:1", [:]), token: nil)
        let advice = ServerChecks.noOutput(of: server, worksHere: worksHere).advice
        #expect(advice.contains { $0.contains("PULSE_SERVER") } == worksHere)
    }

    private func silence(
        _ category: String, silentSwitch: Bool = false, status: String = "idle", reason: String = ""
    ) throws -> [String] {
        let player = """
            {"status":"\(status)","reason":"\(reason)","repeat":"off","position":0,"level":1,"crossfade":0,\
            "playbackRate":1,"pitch":0,"muted":false,"shuffle":false,"consume":false,"stopAfterCurrent":false,\
            "queue":{"length":1},"output":{"available":true,"suspended":false}}
            """
        let session = """
            {"category":"\(category)","mode":"default","options":[],"active":false,"otherAudioPlaying":false,\
            "silentSwitch":\(silentSwitch)}
            """
        let decoder = JSONDecoder()
        let findings = try ServerChecks.silence(
            decoder.decode(PlayerState.self, from: Data(player.utf8)),
            decoder.decode(SessionCommand.Answer.self, from: Data(session.utf8)))
        return findings.map { "\($0.state) \($0.check)" }
    }

    @Test func sessionThatPlaysNothing_isAProblem() throws {
        #expect(try silence("audio-processing") == ["problem session"])
        #expect(try silence("record") == ["problem session"])
        #expect(try silence("playback").isEmpty)
    }

    @Test func silentSwitch_isANote_inTheCategoriesThatItSilences() throws {
        #expect(try silence("ambient", silentSwitch: true) == ["note session"])
        #expect(try silence("playback", silentSwitch: true).isEmpty)
        #expect(try silence("ambient").isEmpty)
    }

    /// The output's own checks report its reasons.
    @Test func interruption_isANote() throws {
        #expect(try silence("playback", status: "interrupted", reason: "interruption") == ["note player"])
        #expect(try silence("playback", status: "interrupted", reason: "output-suspended").isEmpty)
    }
}
