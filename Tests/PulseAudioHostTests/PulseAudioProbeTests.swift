// SPDX-License-Identifier: Apache-2.0

import Glibc
import PulseAudioHost
import Testing
import Threading

struct PulseAudioProbeTests {
    @Test func tellsServerAndDefaultSink_whenReachable() throws {
        let daemon = try PulseDaemon(sinks: ["one"])
        defer { try? daemon.remove() }
        let probe = PulseAudioProbe.run(server: daemon.server)
        #expect(probe.isReachable && probe.problem == nil)
        #expect(probe.serverName == "pulseaudio")
        #expect(probe.defaultSink?.name == "one")
        #expect(probe.socketExists && probe.socketOwner == getuid())
    }

    @Test func namesTheMissingSocket() {
        let probe = PulseAudioProbe.run(server: "unix:/nonexistent/socket")
        #expect(!probe.isReachable && !probe.socketExists)
        #expect(probe.problem == "No socket at /nonexistent/socket: no sound server runs for this user.")
    }

    @Test func endsAtTheDeadline_whenTheServerHangs() throws {
        let daemon = try PulseDaemon(sinks: ["one"])
        defer { try? daemon.remove() }
        daemon.signal(SIGSTOP)
        let began = MonotonicTime.now
        let probe = PulseAudioProbe.run(server: daemon.server, within: 0.5)
        #expect(MonotonicTime.now.seconds(since: began) < 2)
        #expect(!probe.isReachable)
        #expect(probe.problem?.contains("does not answer") == true)
    }
}
