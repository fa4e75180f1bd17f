// SPDX-License-Identifier: Apache-2.0

import Glibc
import Service
import Testing

@testable import PulseAudioHost

@Suite(.serialized) struct PulseAudioCaptureTests {
    @Test func sources_areThoseOfTheServer() throws {
        let daemon = try PulseDaemon(sinks: ["one"])
        defer { daemon.remove() }
        let sources = try PulseAudioCapture(server: daemon.server).sources()
        #expect(sources.map(\.id) == ["one.monitor"] && sources[0].isMonitor)
    }

    /// libpulse itself gives up after 30 s.
    @Test(arguments: [0.5, 40]) func serverThatHangsDuringTheRequest_isAnError(patience: Double) throws {
        let daemon = try PulseDaemon(sinks: ["one"])
        defer { daemon.remove() }
        let capture = PulseAudioCapture(server: daemon.server)
        let error = #expect(throws: RecordingError.self) {
            try capture.sources(connecting: 60, answering: patience) { daemon.signal(SIGSTOP) }
        }
        guard case .noSource(let sentence)? = error else { return #expect(Bool(false)) }
        #expect(sentence.contains("does not answer"))
    }
}
