// SPDX-License-Identifier: Apache-2.0

import OutputTesting
import PulseAudioHost
import Testing

/// The contract that the outputs without hardware are held to as well.
@Suite(.serialized) struct PulseAudioContractTests {
    @Test func keepsTheContract() throws {
        let daemon = try PulseDaemon(sinks: ["spk"])
        defer { daemon.kill() }
        try checkContract { PulseAudioOutput(server: daemon.server) }
        try daemon.remove()
    }
}
